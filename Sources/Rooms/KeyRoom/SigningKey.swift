import Cryptography
import Foundation

/// The public half of an Ed25519 key with which a client signs its requests, such as `~/.ollama/id_ed25519`.
///
/// The form is that of SSH (RFC 8709, section 4): the name of the algorithm and 32 bytes, each behind its length.
package struct SigningKey: Sendable, Hashable {
    /// The start of a fingerprint as `ssh-keygen -l` prints it.
    static let fingerprintPrefix = "SHA256:"
    /// The start of the text form of every such key.
    package static let textPrefix = "AAAAC3NzaC1lZDI1NTE5"
    private static let algorithm = "ssh-ed25519"
    private static let header: [UInt8] = [0, 0, 0, 11] + Array(algorithm.utf8) + [0, 0, 0, 32]

    /// The key in SSH's form, 51 bytes.
    private let bytes: [UInt8]

    /// Reads the text form: SSH's form in Base64. nil for another algorithm and for other text.
    package init?(base64 text: some StringProtocol) {
        guard text.utf8.count <= 128, let data = Data(base64Encoded: String(text)) else { return nil }
        let bytes = Array(data)
        guard bytes.count == Self.header.count + 32, bytes.starts(with: Self.header) else { return nil }
        self.bytes = bytes
    }

    /// Reads the line of a `.pub` file: `ssh-ed25519`, the key, and any comment. nil for another algorithm and for other text.
    package init?(line: String) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count >= 2, words[0] == Self.algorithm else { return nil }
        self.init(base64: words[1])
    }

    /// The SHA-256 of the key in SSH's form, under which it is stored.
    package var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The hash as `ssh-keygen -l` prints it.
    package var fingerprint: String {
        Self.fingerprintPrefix + Data(hash).base64EncodedString().prefix { $0 != "=" }
    }

    /// Whether the owner of the private half signed a message.
    ///
    /// - Parameter signature: 64 bytes (RFC 8032); any other number is no signature.
    package func signed(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes.suffix(32))
        return key?.isValidSignature(signature, for: message) ?? false
    }
}
