#if !canImport(CryptoKit)
import CCrypto
package import FoundationEssentials

/// The cipher AES.
package enum AES {
    /// AES in Galois/Counter Mode (NIST SP 800-38D), with keys of 128 or 256 bits and tags of 128 bits.
    package enum GCM {
        /// A number that is used only once with a key.
        package struct Nonce: Sendable {
            let bytes: [UInt8]

            /// A nonce of these bytes.
            ///
            /// - Throws: ``CryptoKitError`` unless there are 12.
            package init(data: some DataProtocol) throws {
                guard data.count == 12 else { throw CryptoKitError.incorrectParameterSize }
                bytes = Array(data)
            }
        }

        /// An encrypted message with its nonce and its tag.
        package struct SealedBox: Sendable {
            package let nonce: Nonce
            /// The encrypted bytes.
            package let ciphertext: Data
            /// The 16 bytes that show a change.
            package let tag: Data

            /// A message that was received.
            ///
            /// - Throws: ``CryptoKitError`` unless the tag has 16 bytes.
            package init(nonce: Nonce, ciphertext: some DataProtocol, tag: some DataProtocol) throws {
                guard tag.count == 16 else { throw CryptoKitError.incorrectParameterSize }
                (self.nonce, self.ciphertext, self.tag) = (nonce, Data(ciphertext), Data(tag))
            }
        }

        /// Encrypts a message.
        ///
        /// - Throws: ``CryptoKitError`` for a key of another length.
        package static func seal(
            _ message: some DataProtocol, using key: SymmetricKey, nonce: Nonce
        ) throws -> SealedBox {
            var tag = [UInt8](repeating: 0, count: 16)
            guard let ciphertext = try run(seals: true, Array(message), key, nonce, &tag) else {
                throw CryptoKitError.underlyingCoreCryptoError(error: 0)
            }
            return try SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
        }

        /// Decrypts a message.
        ///
        /// - Throws: ``CryptoKitError`` for a wrong tag, and for a key of another length.
        package static func open(_ box: SealedBox, using key: SymmetricKey) throws -> Data {
            var tag = Array(box.tag)
            guard let message = try run(seals: false, Array(box.ciphertext), key, box.nonce, &tag) else {
                throw CryptoKitError.authenticationFailure
            }
            return Data(message)
        }

        private static func run(
            seals: Bool, _ input: [UInt8], _ key: SymmetricKey, _ nonce: Nonce, _ tag: inout [UInt8]
        ) throws(CryptoKitError) -> [UInt8]? {
            let bytes = unsafe key.secret.bytes
            guard bytes.count == 16 || bytes.count == 32 else { throw .incorrectKeySize }
            let cipher = unsafe bytes.count == 16 ? Library.aes128 : Library.aes256
            var output = [UInt8](repeating: 0, count: input.count)
            let succeeded = unsafe selene_gcm(
                cipher, seals ? 1 : 0, bytes.baseAddress, nonce.bytes, input, input.count, &output, &tag)
            return succeeded == 1 ? output : nil
        }
    }
}
#endif
