import Foundation
import Gateway
import Notes
import Search
import Server
import Storage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Checks file permissions, left-over files and free disk space.
enum FileChecks {
    static func all(_ configuration: GatewayConfiguration) -> [Check] {
        [
            Check(name: "permissions") { permissions(configuration) },
            Check(name: "left-over files") { leftOvers(configuration) },
            Check(name: "disk space") { space(configuration) },
        ]
    }

    /// Files that only the gateway uses; `--fix` may change their modes.
    private static func own(_ configuration: GatewayConfiguration) -> [String] {
        var paths = [".cache", ".requests"].flatMap { name in
            ["", "-wal", "-shm", "-journal"].map { configuration.databasePath + name + $0 }
        }
        if let folder = configuration.search.indexFolder {
            paths += [folder] + IndexFolder(path: folder).names.map { folder + "/" + $0 }
        }
        return paths
    }

    /// Files that other users may need to read; `--fix` leaves their modes alone.
    private static func shared(_ configuration: GatewayConfiguration) -> [String] {
        let database = configuration.databasePath
        // SQLite gives its other files the main file's mode, so they matter only when that mode is strict.
        let isStrict = FileMode(database).map { !$0.isOpenToOthers } ?? true
        return (isStrict ? ["", "-wal", "-shm", "-journal"] : [""]).map { database + $0 }
            + [configuration.notes.exportFolder, configuration.file, configuration.server.tls?.key].compactMap(\.self)
    }

    private static func permissions(_ configuration: GatewayConfiguration) -> [Finding] {
        var found: [Finding] = []
        for (paths, isOwn) in [(own(configuration), true), (shared(configuration), false)] {
            for path in paths {
                guard let file = FileMode(path), file.isOpenToOthers else { continue }
                let mode: mode_t = file.isFolder ? 0o700 : 0o600
                let octal = String(mode, radix: 8)
                found.append(
                    .warning(
                        "permissions",
                        "other users of this machine can read or change \(path) (mode \(String(file.mode, radix: 8)))",
                        remedy: "chmod \(octal) \(ShellWord.of(path))",
                        fix: isOwn ? restriction(of: path, to: mode) : nil))
            }
        }
        let folder = URL(filePath: configuration.databasePath).deletingLastPathComponent().path
        if let mode = FileMode(folder), mode.isWritableByOthers {
            found.append(
                .problem(
                    "permissions", "other users of this machine can replace files in \(folder)",
                    remedy: "chmod go-w \(ShellWord.of(folder))"))
        }
        return found.isEmpty ? [.ok("permissions", "only you can read the gateway's files")] : found
    }

    private static func restriction(of path: String, to mode: mode_t) -> @Sendable () async throws -> Void {
        {
            guard chmod(path, mode) == 0 else {
                throw StorageError(.readOnly, "cannot change the mode of \(path)")
            }
        }
    }

    private static func leftOvers(_ configuration: GatewayConfiguration) -> [Finding] {
        let database = URL(filePath: configuration.databasePath)
        let folder = database.deletingLastPathComponent().path
        let start = database.lastPathComponent + ".partial-"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var paths = names.filter { $0.hasPrefix(start) }.map { folder + "/" + $0 }
        if let index = configuration.search.indexFolder {
            let view = IndexFolder(path: index)
            paths += view.names.filter(view.isUnfinished).map { index + "/" + $0 }
        }
        // A file that is still being written was changed recently.
        let old = paths.filter { FileMode($0).map { Date.now.timeIntervalSince1970 - $0.changedAt > 3600 } ?? false }
        guard !old.isEmpty else { return [.ok("left-over files", "none")] }
        return old.map { path in
            .warning(
                "left-over files", "\(path) was left by a killed process",
                remedy: "rm \(ShellWord.of(path))", fix: { try FileManager.default.removeItem(atPath: path) })
        }
    }

    private static func space(_ configuration: GatewayConfiguration) -> [Finding] {
        let folder = URL(filePath: configuration.databasePath).deletingLastPathComponent().path
        guard let free = try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? NSNumber
        else {
            return [.warning("disk space", "unknown for \(folder)", remedy: "df -h \(ShellWord.of(folder))")]
        }
        let bytes = free.int64Value
        let size = FileMode(configuration.databasePath)?.bytes ?? 0
        let text = "\(bytes / 1_000_000) MB free in \(folder)"
        if bytes < 64 << 20 {
            return [
                .problem("disk space", "\(text): new notes will fail soon", remedy: "free space, or move the database")
            ]
        }
        if bytes < max(512 << 20, size) {
            return [
                .warning(
                    "disk space", "\(text), less than a backup or a new index may need", remedy: "free space")
            ]
        }
        return [.ok("disk space", text)]
    }
}

/// The type, mode, size and time of a file, with links followed.
struct FileMode {
    let mode: mode_t
    let isFolder: Bool
    let bytes: Int64
    /// Seconds since 1970.
    let changedAt: Double
    private let isSticky: Bool

    /// Reads a file's status; nil when that fails.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        mode = status.st_mode & 0o777
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isSticky = status.st_mode & S_ISVTX != 0
        bytes = Int64(status.st_size)
        #if canImport(Darwin)
        changedAt = Double(status.st_mtimespec.tv_sec)
        #else
        changedAt = Double(status.st_mtim.tv_sec)
        #endif
    }

    var isOpenToOthers: Bool { mode & 0o077 != 0 }
    var isWritableByOthers: Bool { mode & 0o022 != 0 && !isSticky }
}

/// Quotes words for a shell.
enum ShellWord {
    static func of(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte.isASCIILetterOrDigit || Array("/._-+:@%".utf8).contains(byte)
            }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
