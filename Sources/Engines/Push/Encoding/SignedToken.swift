import Cryptography
import GatewayAPI

/// JSON Web Tokens that are signed with ES256 (RFC 7515, RFC 7518 section 3.4).
enum SignedToken {
    /// Signs claims. The signature is r and s, 32 bytes each.
    ///
    /// - Throws: A failure of the cryptography library.
    static func sign(
        header: [(name: String, value: JSONValue)], claims: [(name: String, value: JSONValue)],
        with key: P256.Signing.PrivateKey
    ) throws -> String {
        let text = Base64URL.encode(JSONBytes.object(header)) + "." + Base64URL.encode(JSONBytes.object(claims))
        let signature = try key.signature(for: Array(text.utf8))
        return text + "." + Base64URL.encode(signature.rawRepresentation)
    }
}
