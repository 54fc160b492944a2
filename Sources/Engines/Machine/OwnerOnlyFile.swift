#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads small files that only their owner can read, such as those with keys.
package enum OwnerOnlyFile {
    /// Why a file is not read. The text names the path and the remedy, and no part of the file.
    package struct Problem: Error, Sendable, Hashable {
        package let reason: String
    }

    /// The bytes of a file, at most `limit + 1` of them, so that a caller sees that a file is too large.
    ///
    /// - Throws: ``Problem`` when the file cannot be read, is not a file of this user or of root, or is open to others.
    package static func read(_ path: String, limit: Int) throws(Problem) -> [UInt8] {
        // A pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Problem(reason: "\(path) is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw Problem(reason: "\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Problem(reason: "other users may read \(path); run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let place = count
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[place...]))
            }
            guard read >= 0 else { throw failure(path) }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    private static func failure(_ path: String) -> Problem {
        Problem(reason: "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}
