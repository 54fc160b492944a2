import Cryptography
import Foundation

/// SHA-256 of a key, compared in constant time.
///
/// Not `Equatable` on purpose: `==` may stop at the first difference.
package struct KeyHash: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    package init(of secret: String) {
        var (secret, hasher) = (secret, SHA256())
        secret.withUTF8 { unsafe hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        words = unsafe hasher.finalize().withUnsafeBytes { unsafe Self.words($0) }
    }

    /// Creates a key hash from a stored hash; nil unless it has 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = Self.words(bytes)
    }

    /// Whether all bytes are equal. Takes the same time wherever the bytes differ.
    package func matches(_ other: KeyHash) -> Bool {
        let difference =
            (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2)
            | (words.3 ^ other.words.3)
        return difference == 0
    }

    /// The SHA-256 of another secret with this hash. It ties a session to the key without storing the key's own hash.
    package func binding(of secret: String) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(data: Data(secret.utf8))
        for word in [words.0, words.1, words.2, words.3] {
            hasher.update(data: (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) })
        }
        return Array(hasher.finalize())
    }

    private static func words(_ bytes: some Sequence<UInt8>) -> (UInt64, UInt64, UInt64, UInt64) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        for byte in bytes {
            words.0 = words.0 << 8 | words.1 >> 56
            words.1 = words.1 << 8 | words.2 >> 56
            words.2 = words.2 << 8 | words.3 >> 56
            words.3 = words.3 << 8 | UInt64(byte)
        }
        return words
    }
}
