import Cryptography
import GatewayAPI
package import Schedules

/// Signs requests to push services (VAPID, RFC 8292).
///
/// Printing a signer shows no part of the private key.
package struct VAPIDSigner: Sendable, CustomStringConvertible {
    /// Seconds that a token is valid. RFC 8292 allows 24 hours.
    package static let lifetime: Int64 = 12 * 3600
    /// Seconds until a token is replaced.
    package static let renewal: Int64 = 6 * 3600

    /// How services reach the operator.
    package let subject: String
    /// The public key in base64url: what browsers get as `applicationServerKey`.
    package let publicKey: String
    private let key: P256.Signing.PrivateKey

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: PEM, or 32 bytes in base64url.
    ///   - subject: `mailto:` and an address, or an `https` URL. Apple refuses every message if the domain is not one of
    ///     the Internet, such as localhost.
    /// - Throws: ``PushFieldError`` for `key` or `subject`.
    package init(key: String, subject: String) throws(PushFieldError) {
        self.key =
            key.contains("-----BEGIN")
            ? try PrivateKeyText.pem(key, field: "key") : try PrivateKeyText.raw(key, field: "key")
        self.subject = try Self.checked(subject)
        publicKey = Base64URL.encode(self.key.publicKey.x963Representation)
    }

    /// Makes a new private key, as ``init(key:subject:)`` reads it.
    package static func makeKey() -> String { Base64URL.encode(P256.Signing.PrivateKey().rawRepresentation) }

    /// Signs a token for a push service.
    ///
    /// - Parameter origin: ``PushURL/origin`` of the endpoint. The token serves all endpoints of that origin.
    /// - Throws: A failure of the cryptography library.
    package func sign(origin: String, at now: Instant) throws -> VAPIDToken {
        let token = try SignedToken.sign(
            header: [("typ", .string("JWT")), ("alg", .string("ES256"))],
            claims: [
                ("aud", .string(origin)), ("exp", .integer(now.seconds + Self.lifetime)), ("sub", .string(subject)),
            ], with: key)
        return VAPIDToken(authorization: "vapid t=\(token),k=\(publicKey)", signed: now)
    }

    /// The public key, without the private one.
    package var description: String { "VAPIDSigner(publicKey: \(publicKey), subject: \(subject))" }

    private static func checked(_ subject: String) throws(PushFieldError) -> String {
        guard subject.utf8.count <= 256 else { throw PushFieldError("subject", "expected at most 256 bytes") }
        guard subject.lowercased().hasPrefix("mailto:") else {
            _ = try PushURL(target: subject, field: "subject", allowsPrivate: false)
            return subject
        }
        let parts = subject.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 }),
            let host = URLHost(parts[1]), case .name = host, host.isPublic
        else { throw PushFieldError("subject", "expected mailto: and an address with a domain of the Internet") }
        return subject
    }
}

/// A signed token, for the header `Authorization` of all requests to one push service.
package struct VAPIDToken: Sendable, Hashable {
    /// The value of the header.
    package let authorization: String
    /// When it was signed.
    package let signed: Instant

    /// Whether the token has to be replaced: half of its life is over, or the clock went back by more than a minute.
    package func isOver(at now: Instant) -> Bool {
        let age = now.seconds - signed.seconds
        return age >= VAPIDSigner.renewal || age < -60
    }
}
