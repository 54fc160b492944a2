import Inference
import Machine

/// Reads a provider's key from a file that only its owner can read.
enum KeyFile {
    /// The most bytes of a key.
    private static let limit = 4096

    /// Reads a file with one key. What is wrong with the file becomes ``ProviderKey/problem``.
    static func read(_ path: String) -> ProviderKey {
        do {
            let bytes = try OwnerOnlyFile.read(path, limit: limit)
            return key(in: String(decoding: bytes, as: UTF8.self), from: path)
        } catch {
            return .unusable(error.reason)
        }
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
