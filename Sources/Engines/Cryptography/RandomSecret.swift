package import Foundation

/// Makes secrets for clients.
package enum RandomSecret {
    /// Returns 256 random bits as 43 characters of URL-safe Base64.
    package static func make() -> String {
        unsafe SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
            unsafe Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }
    }

    /// The SHA-256 of a secret, for a column.
    package static func hash(_ secret: String) -> Data { Data(SHA256.hash(data: Data(secret.utf8))) }
}
