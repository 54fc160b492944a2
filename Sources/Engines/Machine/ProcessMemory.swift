#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the process holds in memory.
package enum ProcessMemory {
    /// Resident bytes; nil where the system does not tell.
    package static var resident: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Int($0) }).first
        else { return nil }
        return kilobytes * 1024
    }
}
