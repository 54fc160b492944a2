#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The resources that this process uses.
package struct ProcessStatistics: Sendable {
    /// Resident memory in bytes; nil where the system does not report it.
    package var residentBytes: Int?
    /// Processor time in seconds, user and system together.
    package var cpuSeconds: Double
    /// Open descriptors; nil where the system does not report them.
    package var openFiles: Int?
    /// The limit on open descriptors.
    package var maxFiles: Int

    /// The current figures.
    package static var current: ProcessStatistics {
        var usage = rusage()
        #if canImport(Glibc)
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let folder = FileManager.default.fileExists(atPath: "/proc/self/fd") ? "/proc/self/fd" : "/dev/fd"
        return ProcessStatistics(
            residentBytes: ProcessMemory.resident, cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            openFiles: (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count,
            maxFiles: DescriptorLimit.current)
    }
}

/// The limit on open descriptors of this process.
package enum DescriptorLimit {
    private static func read() -> rlimit {
        var limit = rlimit()
        #if canImport(Darwin)
        getrlimit(RLIMIT_NOFILE, &limit)
        #else
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        return limit
    }

    package static var current: Int { Int(clamping: read().rlim_cur) }

    /// Raises the limit to `wanted`, or to the system's maximum if that is less.
    ///
    /// - Returns: The limit afterwards.
    package static func raise(to wanted: Int) -> Int {
        var limit = read()
        let target = min(limit.rlim_max, rlim_t(clamping: wanted))
        guard target > limit.rlim_cur else { return current }
        limit.rlim_cur = target
        #if canImport(Darwin)
        setrlimit(RLIMIT_NOFILE, &limit)
        #else
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        return current
    }
}
