import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The holder of leases and jobs: one run within one process. The name is unique, even among later processes that got
/// the same pid.
package struct WorkerName: Sendable, Hashable, CustomStringConvertible {
    /// `host/space/pid/start/run`, as it is stored.
    package let description: String
    private let parts: [Substring]

    /// Creates a unique name for a run in this process.
    package init() {
        let pid = getpid()
        let run = String(UInt32.random(in: 0 ... .max), radix: 16)
        self.init(
            [
                Self.host, Self.processSpace, String(pid), Self.start(of: pid) ?? "-", run,
            ].map { $0.replacingOccurrences(of: "/", with: "_") }.joined(separator: "/"))
    }

    /// Parses a name that was stored.
    package init(_ text: String) {
        description = text
        parts = text.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// What is known of a process.
    package enum Fate: Sendable { case lives, ended, unknown }

    /// What is known of the worker's process. Unknown for processes on other machines or outside this pid namespace.
    package var fate: Fate {
        guard parts.count == 5, parts[0] == Self.host[...], parts[1] == Self.processSpace[...],
            let pid = pid_t(parts[2]), pid > 0
        else { return .unknown }
        if kill(pid, 0) != 0, errno == ESRCH { return .ended }
        guard let start = Self.start(of: pid), parts[3] != "-" else { return .lives }
        return start == parts[3] ? .lives : .ended
    }

    /// The name of the machine.
    package var host: String { parts.first.map(String.init) ?? "-" }

    /// Whether the worker's process is known to have ended.
    package var isGone: Bool { fate == .ended }

    /// Like ``isGone``, for a name that may come from another machine.
    ///
    /// Machines may have the same host name, so it is true only where the system names its boot and the pid namespace.
    package var isGoneFromThisBoot: Bool { Self.boot != nil && !Self.processSpace.hasPrefix("-") && isGone }

    /// The machine's host name. Foundation's host name may query the network, so this uses `gethostname`.
    private static let host: String = {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "-" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "/", with: "_")
    }()

    /// The pid namespace and boot: pids are unique only within one container and one boot of the machine.
    private static let processSpace: String = {
        #if os(Linux)
        let names = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? "-"
        return names + (boot ?? "-")
        #else
        return "-"
        #endif
    }()

    /// The random id of this boot, shortened; nil where the system does not provide it.
    private static let boot: String? = {
        #if os(Linux)
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)).map { String($0.prefix(8)) }
        #else
        nil
        #endif
    }()

    /// The start time of a process in the system's own unit; nil where the system does not provide it.
    private static func start(of pid: pid_t) -> String? {
        #if os(Linux)
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = stat.lastIndex(of: ")")
        else { return nil }
        // The name may hold spaces. The start is field 22, the 20th field after the name.
        let fields = stat[stat.index(after: name)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
        #else
        return nil
        #endif
    }
}
