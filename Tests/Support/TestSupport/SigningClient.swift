import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CCrypto
#endif

/// A client that signs its requests with a key of its own, in the form that Ollama's source describes.
package struct SigningClient: Sendable {
    /// The line of its `.pub` file.
    package let line: String
    private let seed: [UInt8]
    private let publicKey: String

    /// A client whose key is made of a number.
    package init(_ number: UInt8 = 1) {
        seed = [UInt8](repeating: number, count: 32)
        let header: [UInt8] = [0, 0, 0, 11] + Array("ssh-ed25519".utf8) + [0, 0, 0, 32]
        publicKey = Data(header + Self.publicKey(seed)).base64EncodedString()
        line = "ssh-ed25519 \(publicKey) someone@laptop"
    }

    /// The value of `Authorization` for a request.
    ///
    /// - Parameter time: Seconds since 1970, which go into the query as `ts`.
    package func authorization(_ method: String, _ path: String, at time: Int64) -> String {
        authorization(of: "\(method),\(path)?ts=\(time)")
    }

    /// The value of `Authorization` for any text.
    package func authorization(of message: String) -> String {
        "\(publicKey):\(Data(Self.sign(Array(message.utf8), seed)).base64EncodedString())"
    }

    #if canImport(CryptoKit)
    private static func publicKey(_ seed: [UInt8]) -> [UInt8] {
        (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)).map { Array($0.publicKey.rawRepresentation) }
            ?? []
    }

    private static func sign(_ message: [UInt8], _ seed: [UInt8]) -> [UInt8] {
        (try? Curve25519.Signing.PrivateKey(rawRepresentation: seed).signature(for: message)).map { Array($0) } ?? []
    }
    #else
    private static func publicKey(_ seed: [UInt8]) -> [UInt8] {
        let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        defer { unsafe EVP_PKEY_free(key) }
        var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
        unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count)
        return bytes
    }

    private static func sign(_ message: [UInt8], _ seed: [UInt8]) -> [UInt8] {
        let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count)
        let context = unsafe EVP_MD_CTX_new()
        defer {
            unsafe EVP_MD_CTX_free(context)
            unsafe EVP_PKEY_free(key)
        }
        var (bytes, count) = ([UInt8](repeating: 0, count: 64), 64)
        unsafe EVP_DigestSignInit(context, nil, nil, nil, key)
        unsafe EVP_DigestSign(context, &bytes, &count, message, message.count)
        return bytes
    }
    #endif
}
