import Cryptography
import Foundation

/// Checks provider tokens as APNs does: signature, key, team, age, and how often they change.
struct ProviderTokens {
    /// Seconds between two tokens of a team that are accepted.
    static let pause: Int64 = 1200

    let key: P256.Signing.PublicKey
    let keyID: String
    let teamID: String
    /// Tokens with a valid signature and the time that they say.
    private var known: [String: Int64] = [:]
    /// The token that is in use, and since when.
    private var current: (token: String, since: Int64)?

    init(key: P256.Signing.PublicKey, keyID: String, teamID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The number of different tokens that were valid.
    var count: Int { known.count }

    /// What APNs says to a token; nil when it is accepted.
    mutating func refusal(_ authorization: String?, now: Int64) -> (status: Int, reason: String)? {
        guard let authorization, authorization.hasPrefix("bearer ") else { return (403, "MissingProviderToken") }
        let token = String(authorization.dropFirst(7))
        guard let issued = known[token] ?? issued(token) else { return (403, "InvalidProviderToken") }
        guard (-3600...60).contains(issued - now) else { return (403, "ExpiredProviderToken") }
        known[token] = issued
        if let current, current.token != token, now - current.since < Self.pause, isFresh(current.token, now) {
            return (429, "TooManyProviderTokenUpdates")
        }
        if current?.token != token { current = (token, now) }
        return nil
    }

    private func isFresh(_ token: String, _ now: Int64) -> Bool {
        known[token].map { (-3600...60).contains($0 - now) } ?? false
    }

    private struct Header: Decodable { var alg: String, kid: String }
    private struct Claims: Decodable { var iss: String, iat: Int64 }

    private func issued(_ token: String) -> Int64? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decode(parts[0]), let claims = Self.decode(parts[1]),
            let signature = Self.decode(parts[2]),
            let head = try? JSONDecoder().decode(Header.self, from: header), head.alg == "ES256", head.kid == keyID,
            let body = try? JSONDecoder().decode(Claims.self, from: claims), body.iss == teamID,
            let read = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(read, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return body.iat
    }

    private static func decode(_ text: Substring) -> Data? {
        guard !text.contains("=") else { return nil }
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
