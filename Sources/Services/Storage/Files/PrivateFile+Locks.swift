import Machine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PrivateFile {
    /// Whether another process has an SQLite file open in WAL mode, or reads or writes it now. Tests for a lock on the
    /// bytes that SQLite locks. Call this only while this process has no connection to the file: closing any descriptor
    /// releases all locks that the process holds on the file.
    static func isLocked(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        // The range covers SQLite's pending byte, reserved byte and 510 shared bytes.
        lock.l_start = 0x4000_0000
        lock.l_len = 512
        guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { return false }
        return lock.l_type != Int16(F_UNLCK)
    }
}
