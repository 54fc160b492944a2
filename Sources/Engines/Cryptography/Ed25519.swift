#if !canImport(CryptoKit)
import CCrypto
package import FoundationEssentials

/// The curve of Ed25519 (RFC 8032). The names are CryptoKit's.
package enum Curve25519 {
    /// Signatures.
    package enum Signing {
        /// The public key of a signer.
        package struct PublicKey: Sendable {
            /// The 32 bytes of the key.
            package let rawRepresentation: Data

            /// A key from its 32 bytes; whether they are a point of the curve is checked with a signature.
            ///
            /// - Throws: ``CryptoKitError`` for another number of bytes.
            package init(rawRepresentation: some ContiguousBytes) throws {
                let bytes = unsafe rawRepresentation.withUnsafeBytes { unsafe Data($0) }
                guard bytes.count == 32 else { throw CryptoKitError.incorrectParameterSize }
                self.rawRepresentation = bytes
            }

            /// Whether the owner of the private key signed these bytes. A signature has 64 bytes.
            package func isValidSignature(_ signature: some DataProtocol, for data: some DataProtocol) -> Bool {
                guard signature.count == 64 else { return false }
                let message = Array(data)
                return unsafe selene_ed25519_verify(
                    Array(rawRepresentation), message, message.count, Array(signature)) == 1
            }
        }
    }
}
#endif
