import Foundation

/// A file that is written once, from start to end.
final class DurableFile {
    private let descriptor: Int32
    private let path: String
    /// Bytes written so far.
    private(set) var offset = 0

    /// Writes to an open descriptor. ``close()`` closes the descriptor.
    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Creates a file with mode 0600. An existing file or link with that name is removed first. If a link appears
    /// meanwhile, nothing is written through the link.
    init(creating path: String) throws(RetrievalError) {
        self.path = path
        unsafe unlink(path)
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot create", path) }
    }

    /// Continues an existing file at an offset; what lies behind is cut off.
    init(continuing path: String, at offset: Int) throws(RetrievalError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open", path) }
        self.offset = offset
        guard ftruncate(descriptor, off_t(offset)) == 0, lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
        else {
            let failure = Self.failure("cannot write", path)
            close()
            throw failure
        }
    }

    /// Writes into an existing file from an offset on.
    init(within path: String, at offset: Int) throws(RetrievalError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open", path) }
        self.offset = offset
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
            let failure = Self.failure("cannot write", path)
            close()
            throw failure
        }
    }

    private static func failure(_ what: String, _ path: String) -> RetrievalError {
        RetrievalError(.indexFile, "\(what) \(path): \(systemMessage())")
    }

    /// Appends bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(RetrievalError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            #if canImport(Darwin)
            let written = unsafe Darwin.write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
            #else
            let written = unsafe Glibc.write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
            #endif
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw Self.failure("cannot write", path) }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
        offset += bytes.count
    }

    /// Appends bytes.
    func write(_ region: Region) throws(RetrievalError) { unsafe try write(region.bytes) }

    /// Appends bytes.
    func write(_ data: Data) throws(RetrievalError) { try write(Region(copying: Array(data))) }

    /// Replaces the first bytes of the file.
    func overwrite(_ data: Data) throws(RetrievalError) {
        let region = Region(copying: Array(data))
        guard unsafe pwrite(descriptor, region.bytes.baseAddress, data.count, 0) == data.count else {
            throw Self.failure("cannot write", path)
        }
    }

    /// Waits until all that was written is on the disk.
    func synchronise() throws(RetrievalError) {
        guard fsync(descriptor) == 0 else { throw Self.failure("cannot write", path) }
    }

    /// Appends zeros up to an offset.
    func pad(to end: Int) throws(RetrievalError) {
        guard end > offset else { return }
        try write(Data(repeating: 0, count: end - offset))
    }

    /// Sets the modification time in whole seconds since 1970, then waits until data and time are on the disk.
    func synchronise(modifiedAt seconds: Int64) throws(RetrievalError) {
        var times = [timespec(), timespec()]
        for index in times.indices { times[index].tv_sec = time_t(seconds) }
        guard unsafe futimens(descriptor, &times) == 0, fsync(descriptor) == 0 else {
            throw Self.failure("cannot write", path)
        }
    }

    func close() {
        #if canImport(Darwin)
        Darwin.close(descriptor)
        #else
        Glibc.close(descriptor)
        #endif
    }

    /// Renames a file durably.
    static func rename(_ path: String, to name: String) throws(RetrievalError) {
        guard unsafe Foundation.rename(path, name) == 0 else { throw failure("cannot rename to", name) }
        let folder = unsafe open(URL(filePath: name).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        #if canImport(Darwin)
        Darwin.close(folder)
        #else
        Glibc.close(folder)
        #endif
    }
}

/// The system's message for the last failed call.
private func systemMessage() -> String { unsafe String(cString: strerror(errno)) }

/// A lock between processes, released at the latest when the process ends.
struct FileLock {
    private let descriptor: Int32

    /// Acquires the lock; nil when another process holds the lock.
    init?(path: String) throws(RetrievalError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RetrievalError(.indexFile, "cannot create \(path): \(systemMessage())")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            unlock()
            return nil
        }
    }

    /// Releases the lock.
    func unlock() {
        #if canImport(Darwin)
        Darwin.close(descriptor)
        #else
        Glibc.close(descriptor)
        #endif
    }
}
