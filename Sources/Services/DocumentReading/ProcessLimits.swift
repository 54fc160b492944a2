internal import CChildProcess

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What the system enforces on this process from now on.
enum ProcessLimits {
    /// Limits memory and processor time, forbids writing files and core dumps, and on Linux gaining privileges.
    static func set(_ limits: ReadingLimits) {
        set(RLIMIT_DATA, limits.memoryBytes)
        // The soft limit gives SIGXCPU, the hard one SIGKILL.
        set(RLIMIT_CPU, limits.cpuSeconds, hard: limits.cpuSeconds + 1)
        set(RLIMIT_FSIZE, 0)
        set(RLIMIT_CORE, 0)
        set(RLIMIT_NOFILE, 64)
        child_confine()
        // An array that grows asks for twice its size, so that memory ends before it is used up.
        child_report_exhaustion(UInt(clamping: limits.memoryBytes / 5 * 2))
    }

    #if canImport(Darwin)
    private typealias Resource = CInt
    #else
    private typealias Resource = __rlimit_resource
    #endif

    private static func set(_ resource: Resource, _ soft: Int, hard: Int? = nil) {
        var limit = rlimit(rlim_cur: rlim_t(clamping: soft), rlim_max: rlim_t(clamping: hard ?? soft))
        #if canImport(Darwin)
        _ = unsafe setrlimit(resource, &limit)
        #else
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
        #endif
    }
}
