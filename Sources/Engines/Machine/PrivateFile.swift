import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Creates and moves files and folders that only their owner may read, whatever the umask.
///
/// Existing files and folders keep their modes: another program may rely on them.
package enum PrivateFile {
    /// Creates a folder and its missing parents, each with mode 0700.
    ///
    /// - Throws: ``FileError/Code/cannotOpen`` when a folder cannot be created.
    package static func createFolder(_ path: String) throws(FileError) {
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
        throw FileError(
            .cannotOpen, "cannot create the folder \(path): \(reason == EEXIST ? "a file is there" : text(of: reason))")
    }

    /// Creates an empty file with mode 0600, unless the name is taken.
    ///
    /// SQLite gives its `-wal`, `-shm` and `-journal` files the mode of the main file, so call this before SQLite opens
    /// it.
    /// - Returns: false when a file, folder or link of that name exists, or the file cannot be created.
    @discardableResult package static func create(_ path: String) -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        // The umask may have cleared the owner's own permissions.
        fchmod(descriptor, 0o600)
        close(descriptor)
        return true
    }

    /// Flushes a file and its folder entry to disk (fsync).
    ///
    /// - Throws: ``FileError/Code/failed``.
    package static func synchronise(_ path: String) throws(FileError) {
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
    /// - Throws: ``FileError/Code/conflict`` when the name is taken.
    package static func move(_ path: String, toNew name: String) throws(FileError) {
        // A hard link is the portable rename that never replaces. File systems without links get a check before the
        // rename.
        if unsafe link(path, name) == 0 {
            unsafe unlink(path)
            return
        }
        if errno == EEXIST || exists(name) { throw FileError(.conflict, "\(name) exists already") }
        try move(path, over: name)
    }

    /// Renames a file, replacing the file that has the name.
    package static func move(_ path: String, over name: String) throws(FileError) {
        guard unsafe rename(path, name) == 0 else { throw failure("cannot rename to", name) }
    }

    /// Whether a name is taken, also by a dangling link.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) { unsafe unlink(path) }

    /// Removes a folder if nothing is in it.
    package static func removeEmptyFolder(_ path: String) { unsafe rmdir(path) }

    /// Returns the size of a file in bytes.
    ///
    /// - Throws: ``FileError/Code/failed`` when the file cannot be read.
    package static func size(_ path: String) throws(FileError) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw failure("cannot read", path) }
        return Int(status.st_size)
    }

    /// Whether two paths name the same file.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Returns the folder of a file; `.` for a bare name.
    package static func parent(of path: String) -> String {
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

    private static func failure(_ what: String, _ path: String) -> FileError {
        FileError(errno == ENOSPC ? .diskFull : .failed, "\(what) \(path): \(text(of: errno))")
    }

    private static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
