import Inference

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads a provider's key from a file that only its owner can read.
enum KeyFile {
    /// The most bytes of a key.
    private static let limit = 4096

    /// Reads a file with one key. What is wrong with the file becomes ``ProviderKey/problem``.
    static func read(_ path: String) -> ProviderKey {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .unusable("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .unusable("\(path) is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return .unusable("\(path) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            return .unusable("other users may read \(path); run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes[count...].withUnsafeMutableBytes { bytesRead(descriptor, $0) }
            guard read >= 0 else { return .unusable("cannot read \(path): \(String(cString: strerror(errno)))") }
            if read == 0 { break }
            count += read
        }
        return key(in: String(decoding: bytes[..<count], as: UTF8.self), from: path)
    }

    /// Returns a key without the spaces and line ends around it.
    ///
    /// - Parameter place: Where the text comes from, for ``ProviderKey/problem``.
    static func key(in text: String, from place: String) -> ProviderKey {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        var key = Array(text.utf8)[...].drop(while: isSpace)
        while let last = key.last, isSpace(last) { key.removeLast() }
        guard (1...limit).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return .unusable("\(place) holds no key: expected 1 to \(limit) letters, digits and signs without spaces")
        }
        return .value(String(decoding: key, as: UTF8.self))
    }
}

private func bytesRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
