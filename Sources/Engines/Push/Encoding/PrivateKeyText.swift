package import Cryptography

/// Reads private keys of the curve P-256 as files and settings hold them.
package enum PrivateKeyText {
    /// The largest text that is read, in bytes. A key has less than 400.
    package static let limit = 8192

    /// Reads a PEM text, such as Apple's `AuthKey_….p8` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1).
    ///
    /// - Parameter field: The name of the setting, for the error.
    /// - Throws: ``PushFieldError``, which never has a part of the text.
    package static func pem(_ text: String, field: String) throws(PushFieldError) -> P256.Signing.PrivateKey {
        guard text.utf8.count <= limit else {
            throw PushFieldError(field, "expected a private key of at most \(limit) bytes, got \(text.utf8.count)")
        }
        let kinds = text.split(separator: "-----BEGIN ", omittingEmptySubsequences: false).dropFirst().map {
            $0.prefix { $0 != "-" }
        }
        switch kinds.first {
        case "PRIVATE KEY", "EC PRIVATE KEY": break
        case "ENCRYPTED PRIVATE KEY":
            throw PushFieldError(field, "the private key has a passphrase; expected one without")
        case let kind?:
            throw PushFieldError(field, "expected a PEM block PRIVATE KEY, got \(kind.prefix(40))")
        case nil:
            throw PushFieldError(field, "expected a private key in PEM, which begins with -----BEGIN PRIVATE KEY")
        }
        guard kinds.count == 1 else { throw PushFieldError(field, "expected 1 PEM block, got \(kinds.count)") }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: PEM.block(in: text)) else {
            throw PushFieldError(field, "is damaged, or not a key of the curve P-256")
        }
        return key
    }

    /// Reads 32 bytes in base64url, as tools for VAPID print them.
    ///
    /// - Throws: ``PushFieldError``, which never has a part of the text.
    package static func raw(_ text: String, field: String) throws(PushFieldError) -> P256.Signing.PrivateKey {
        guard text.utf8.count <= 64, let bytes = Base64URL.decode(text), bytes.count == 32,
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes)
        else { throw PushFieldError(field, "expected a P-256 private key as 32 bytes in base64url") }
        return key
    }
}
