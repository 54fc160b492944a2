import Foundation
import Synchronization

/// The zones of the operating system, read from TZif files.
///
/// Foundation on Linux has zone data of its own that updates of the system's `tzdata` do not change, so its `TimeZone`
/// is not used. Zones are cached for the life of this value: create a new one when ``readVersion()`` changes.
/// Thread-safe.
package final class ZoneDatabase: Sendable {
    /// Where Linux and macOS keep the files.
    package static let systemFolder = "/usr/share/zoneinfo"

    /// Zones in the cache at most; the IANA database has about 600 names.
    private static let maxCached = 1024

    private let folder: String
    private let cached = Mutex<[String: ZoneRules]>([:])

    /// Creates a reader of the files below `folder`; reads nothing yet.
    package init(folder: String = ZoneDatabase.systemFolder) { self.folder = folder }

    /// A reader of the same folder without cached zones.
    package func reopened() -> ZoneDatabase { ZoneDatabase(folder: folder) }

    /// The rules of an IANA zone such as `Europe/Berlin`. `UTC` needs no file. Blocks for a file's read, once a zone.
    ///
    /// Throws ``ScheduleError`` of the kinds `unknownZone` and `damagedZone`.
    package func rules(_ name: String) throws(ScheduleError) -> ZoneRules {
        if name == "UTC" { return .utc }
        if let rules = cached.withLock({ $0[name] }) { return rules }
        guard Self.isName(name) else {
            throw ScheduleError(
                .unknownZone, "zone \"\(name.prefix(64))\": expected an IANA name such as Europe/Berlin or UTC")
        }
        guard let bytes = Self.read("\(folder)/\(name)", limit: TZifFile.maxBytes + 1) else {
            throw ScheduleError(.unknownZone, "zone \"\(name)\" is not in \(folder); is the package tzdata installed?")
        }
        let rules = try TZifFile.rules(name: name, bytes: bytes)
        cached.withLock { zones in
            if zones.count >= Self.maxCached { zones.removeAll() }
            zones[name] = rules
        }
        return rules
    }

    /// The version of the data, such as `2025b`, from `+VERSION` or the first line of `tzdata.zi`; nil if neither has
    /// one. Reads the file each time, so that an update of the system is seen.
    package func readVersion() -> String? {
        let lines = ["+VERSION", "tzdata.zi"].lazy.compactMap { Self.read("\(self.folder)/\($0)", limit: 64) }
        for bytes in lines {
            let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            let version = line.hasPrefix("# version ") ? line.dropFirst(10) : line[...]
            if (5...8).contains(version.utf8.count), version.utf8.allSatisfy(Self.isAlphanumeric),
                version.utf8.prefix(4).allSatisfy({ (0x30...0x39).contains($0) })
            {
                return String(version)
            }
        }
        return nil
    }

    /// Whether a name has only the characters of IANA names; no dots, so a path cannot leave the folder.
    private static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count) else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { isAlphanumeric($0) || "_+-".utf8.contains($0) }
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: limit) else { return nil }
        return Array(data)
    }
}
