package import Push

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads a private key from a file that only its owner can read.
///
/// No error shows a part of the file.
package enum PrivateKeyFile {
    /// Reads the text of a key: Apple's `AuthKey_….p8`, or the VAPID key as PEM or base64url.
    ///
    /// - Parameter field: The name of the setting with the path, for the error.
    /// - Throws: ``PushFieldError`` when the file cannot be read, is not a file of this user, or is open to others.
    package static func text(_ path: String, field: String) throws(PushFieldError) -> String {
        // A pipe without a writer would block.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, field) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PushFieldError(field, "\(path) is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw PushFieldError(field, "\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw PushFieldError(field, "other users may read \(path); run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: PrivateKeyText.limit + 1)
        var count = 0
        while count < bytes.count {
            let place = count
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[place...]))
            }
            guard read >= 0 else { throw failure(path, field) }
            if read == 0 { break }
            count += read
        }
        guard count <= PrivateKeyText.limit else {
            throw PushFieldError(field, "\(path) is larger than a key: over \(PrivateKeyText.limit) bytes")
        }
        let text = bytes[..<count]
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let end = (text.lastIndex { !isSpace($0) }).map { $0 + 1 } ?? 0
        guard end > 0 else { throw PushFieldError(field, "\(path) is empty") }
        return String(decoding: text[..<end].drop(while: isSpace), as: UTF8.self)
    }

    private static func failure(_ path: String, _ field: String) -> PushFieldError {
        PushFieldError(field, "cannot read \(path): \(unsafe String(cString: strerror(errno)))")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, buffer.baseAddress, buffer.count)
}
