import Cryptography
package import Schedules

/// The secret that signs webhooks, by the Standard Webhooks specification (standardwebhooks.com, version 1).
///
/// The signature is the HMAC-SHA-256 of `id.timestamp.body`. Receivers verify it with the libraries of that
/// specification. Printing a secret shows nothing of it.
package struct WebhookSecret: Sendable, CustomStringConvertible {
    /// Seconds that the clocks of sender and receiver may differ.
    package static let tolerance: Int64 = 300

    private let key: SymmetricKey

    /// Reads a secret.
    ///
    /// - Parameter text: `whsec_` and 24 to 64 bytes in base64.
    /// - Throws: ``PushFieldError``, which has no part of the text.
    package init(_ text: String, field: String = "secret") throws(PushFieldError) {
        guard text.hasPrefix("whsec_"), text.utf8.count <= 128,
            let bytes = Base64Text.decode(String(text.dropFirst(6))),
            (24...64).contains(bytes.count)
        else { throw PushFieldError(field, "expected whsec_ and 24 to 64 bytes in base64") }
        key = SymmetricKey(data: bytes)
    }

    /// Makes a new secret, as ``init(_:field:)`` reads it.
    package static func make() -> String {
        unsafe "whsec_" + SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Base64Text.encode($0) }
    }

    /// Signs a request; returns the value of `webhook-signature`.
    ///
    /// - Parameters:
    ///   - id: The value of `webhook-id`.
    ///   - timestamp: The value of `webhook-timestamp`: seconds since 1970.
    package func sign(id: String, timestamp: Int64, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Self.content(id, timestamp, body), using: key)
        return "v1," + Base64Text.encode(code)
    }

    /// Whether a request was signed with this secret within ``tolerance`` of now.
    ///
    /// - Parameter signatures: The value of `webhook-signature`: one or more signatures with spaces between them.
    package func verifies(id: String, timestamp: String, signatures: String, body: [UInt8], now: Instant) -> Bool {
        guard let seconds = Int64(timestamp), String(seconds) == timestamp, signatures.utf8.count <= 4096 else {
            return false
        }
        let (age, overflow) = now.seconds.subtractingReportingOverflow(seconds)
        guard !overflow, (-Self.tolerance...Self.tolerance).contains(age) else { return false }
        let content = Self.content(id, seconds, body)
        return signatures.split(separator: " ").contains { signature in
            guard signature.hasPrefix("v1,"), let code = Base64Text.decode(String(signature.dropFirst(3))) else {
                return false
            }
            return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: key)
        }
    }

    /// Nothing of the secret.
    package var description: String { "WebhookSecret" }

    private static func content(_ id: String, _ timestamp: Int64, _ body: [UInt8]) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }
}
