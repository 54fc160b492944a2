import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Creates and moves files and folders that only their owner may read, whatever the umask.
///
/// Existing files and folders keep their modes: another program may rely on them.
public enum PrivateFile {
    /// Creates a folder and its missing parents, each with mode 0700.
    ///
    /// - Throws: ``StorageError/Code/cannotOpen`` when a folder cannot be created.
    public static func createFolder(_ path: String) throws(StorageError) {
        guard !path.isEmpty, path != "/" else { return }
        if makeFolder(path) { return }
        if errno == ENOENT {
            try createFolder(parent(of: path))
            if makeFolder(path) { return }
        }
        let reason = errno
        var status = stat()
        // A symbolic link to a folder is accepted: the user named the folder behind it.
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        throw StorageError(
            .cannotOpen, "cannot create the folder \(path): \(reason == EEXIST ? "a file is there" : text(of: reason))")
    }

    /// Creates an empty file with mode 0600, unless the name is taken.
    ///
    /// SQLite gives its `-wal`, `-shm` and `-journal` files the mode of the main file, so call this before SQLite opens
    /// it.
    /// - Returns: false when a file, folder or link of that name exists, or the file cannot be created.
    @discardableResult public static func create(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        // The umask may have cleared the owner's own permissions.
        fchmod(descriptor, 0o600)
        close(descriptor)
        return true
    }

    /// Flushes a file and its folder entry to disk (fsync).
    ///
    /// - Throws: ``StorageError/Code/failed``.
    static func synchronise(_ path: String) throws(StorageError) {
        for path in [path, parent(of: path)] {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw failure("cannot open", path) }
            defer { close(descriptor) }
            // Some network file systems cannot fsync folders.
            if fsync(descriptor) != 0, errno != EINVAL { throw failure("cannot write", path) }
        }
    }

    /// Renames a file to a name that is not taken.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the name is taken.
    static func move(_ path: String, toNew name: String) throws(StorageError) {
        // A hard link is the portable rename that never replaces. File systems without links get a check before the
        // rename.
        if unsafe link(path, name) == 0 {
            unsafe unlink(path)
            return
        }
        if errno == EEXIST || exists(name) { throw StorageError(.conflict, "\(name) exists already") }
        try move(path, over: name)
    }

    /// Renames a file, replacing the file that has the name.
    static func move(_ path: String, over name: String) throws(StorageError) {
        guard unsafe rename(path, name) == 0 else { throw failure("cannot rename to", name) }
    }

    /// Whether a name is taken, also by a dangling link.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Removes a file if it exists.
    static func remove(_ path: String) { unsafe unlink(path) }

    /// Removes a folder if nothing is in it.
    static func removeEmptyFolder(_ path: String) { unsafe rmdir(path) }

    /// Returns the size of a file in bytes.
    ///
    /// - Throws: ``StorageError/Code/failed`` when the file cannot be read.
    static func size(_ path: String) throws(StorageError) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw failure("cannot read", path) }
        return Int(status.st_size)
    }

    /// Whether two paths name the same file.
    static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

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

    /// Returns the folder of a file; `.` for a bare name.
    static func parent(of path: String) -> String {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.last == "/" { trimmed = trimmed.dropLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
    }

    private static func makeFolder(_ path: String) -> Bool {
        guard unsafe mkdir(path, 0o700) == 0 else { return false }
        unsafe chmod(path, 0o700)
        return true
    }

    private static func failure(_ what: String, _ path: String) -> StorageError {
        StorageError(errno == ENOSPC ? .diskFull : .failed, "\(what) \(path): \(text(of: errno))")
    }

    private static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
