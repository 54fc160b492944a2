import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Who holds leases and runs jobs: one run within one process, told from every other, also from a later process that
/// got the same number.
public struct WorkerName: Sendable, Hashable, CustomStringConvertible {
    /// `host/space/pid/start/run`, as it stands in the database.
    public let description: String
    private let parts: [Substring]

    /// A name that no other run has.
    public init() {
        let pid = getpid()
        let run = String(UInt32.random(in: 0 ... .max), radix: 16)
        self.init(
            [
                Self.host, Self.processSpace, String(pid), Self.start(of: pid) ?? "-", run,
            ].map { $0.replacingOccurrences(of: "/", with: "_") }.joined(separator: "/"))
    }

    /// A name as it stands in the database.
    init(_ text: String) {
        description = text
        parts = text.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Whether its process is known to have ended. A process of another machine, or one that this process cannot see, is
    /// not known to.
    var isGone: Bool {
        guard parts.count == 5, parts[0] == Self.host[...], parts[1] == Self.processSpace[...],
            let pid = pid_t(parts[2]), pid > 0
        else { return false }
        if kill(pid, 0) != 0, errno == ESRCH { return true }
        guard let start = Self.start(of: pid), parts[3] != "-" else { return false }
        return start != parts[3]
    }

    /// What the machine calls itself; Foundation's name may be asked of the network.
    private static let host: String = {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "-" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "/", with: "_")
    }()

    /// Processes are numbered anew in each container, and after each start of the machine.
    private static let processSpace: String = {
        #if os(Linux)
        let names = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? "-"
        let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "-"
        return names + boot.prefix(8)
        #else
        return "-"
        #endif
    }()

    /// When a process began, in the system's own measure; nil where the system does not tell.
    private static func start(of pid: pid_t) -> String? {
        #if os(Linux)
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = stat.lastIndex(of: ")")
        else { return nil }
        // The name may hold spaces; the start is the 22nd field, the 20th behind it.
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
        #else
        return nil
        #endif
    }
}
