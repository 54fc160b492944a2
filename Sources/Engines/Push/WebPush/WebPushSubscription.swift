import Cryptography
package import GatewayAPI
package import Schedules

/// A browser's or UnifiedPush app's subscription, as `PushSubscription.toJSON()` gives it.
package struct WebPushSubscription: Sendable, Hashable {
    /// Where messages go.
    package let endpoint: PushURL
    /// The public key of the client: an uncompressed point of P-256, 65 bytes.
    package let key: [UInt8]
    /// The secret that authenticates the sender, 16 bytes.
    package let secret: [UInt8]
    /// When the subscription ends; nil when the browser does not say.
    package let expires: Instant?

    /// Reads and checks a subscription.
    ///
    /// - Throws: ``PushFieldError`` for `endpoint`, `keys.p256dh`, `keys.auth` or `expirationTime`.
    package init(_ value: JSONValue, services: PushServices) throws(PushFieldError) {
        var reader = try FieldReader(value)
        guard let text = try reader.text("endpoint") else { throw PushFieldError("endpoint", "is required") }
        endpoint = try PushURL(text, field: "endpoint")
        guard services.contain(endpoint) else {
            throw PushFieldError("endpoint", "the host is not in the list of push services")
        }
        guard let keys = reader.value("keys") else { throw PushFieldError("keys", "is required") }
        var keyReader = try FieldReader(keys, field: "keys")
        key = try Self.bytes(of: try keyReader.text("p256dh"), count: 65, field: "keys.p256dh")
        guard (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil else {
            throw PushFieldError("keys.p256dh", "is not a point of the curve P-256")
        }
        secret = try Self.bytes(of: try keyReader.text("auth"), count: 16, field: "keys.auth")
        // Milliseconds, which JavaScript may write as any number.
        if let milliseconds = try reader.number("expirationTime") {
            guard let whole = Int64(exactly: milliseconds.rounded()) else {
                throw PushFieldError("expirationTime", "expected milliseconds since 1970")
            }
            expires = Instant(milliseconds: whole)
        } else {
            expires = nil
        }
    }

    /// The subscription as ``init(_:services:)`` reads it.
    package var json: JSONValue {
        .object([
            "endpoint": .string(endpoint.description),
            "keys": .object([
                "p256dh": .string(Base64URL.encode(key)), "auth": .string(Base64URL.encode(secret)),
            ]),
            "expirationTime": expires.map { .integer($0.milliseconds) } ?? .null,
        ])
    }

    private static func bytes(of text: String?, count: Int, field: String) throws(PushFieldError) -> [UInt8] {
        guard let text else { throw PushFieldError(field, "is required") }
        guard text.utf8.count <= 2 * count, let bytes = Base64URL.decode(text), bytes.count == count else {
            throw PushFieldError(field, "expected \(count) bytes in base64url")
        }
        return bytes
    }
}
