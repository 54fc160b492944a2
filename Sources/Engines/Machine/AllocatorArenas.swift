import CMemory

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The pools from which the C library allocates memory.
package enum AllocatorArenas {
    /// Limits the pools to one for each core, but at least two.
    ///
    /// glibc makes up to eight for each core, one for each thread that finds the others busy, and keeps what is freed in the pool that
    /// it came from. With threads for the event loops, libcurl, SQLite and tasks, most of that memory is never used again.
    /// Pools that exist stay, so a program calls this before it starts a thread. The variable `MALLOC_ARENA_MAX` has precedence.
    /// Has no effect with other C libraries.
    package static func limitToCores() {
        guard unsafe getenv("MALLOC_ARENA_MAX") == nil else { return }
        let cores = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        selene_limit_arenas(Int32(clamping: cores))
    }
}
