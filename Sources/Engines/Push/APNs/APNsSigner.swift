import Cryptography
import GatewayAPI
package import Schedules

/// Signs the provider tokens of a team.
///
/// Printing a signer shows no part of the key.
package struct APNsSigner: Sendable, CustomStringConvertible {
    /// The id of the key, 10 letters and digits.
    package let keyID: String
    /// The id of the team, 10 letters and digits.
    package let teamID: String
    private let key: P256.Signing.PrivateKey

    /// Creates a signer.
    ///
    /// - Parameter key: The text of Apple's file `AuthKey_….p8`.
    /// - Throws: ``PushFieldError`` for `key_id`, `team_id` or `key`.
    package init(keyID: String, teamID: String, key: String) throws(PushFieldError) {
        for (text, field) in [(keyID, "key_id"), (teamID, "team_id")] {
            guard text.utf8.count == 10,
                text.utf8.allSatisfy({ (0x41...0x5A).contains($0) || $0.isDigit })
            else { throw PushFieldError(field, "expected 10 upper-case letters and digits") }
        }
        self.keyID = keyID
        self.teamID = teamID
        self.key = try PrivateKeyText.pem(key, field: "key")
    }

    /// Signs a token that is valid for an hour.
    ///
    /// - Throws: A failure of the cryptography library.
    package func sign(at now: Instant) throws -> String {
        try SignedToken.sign(
            header: [("alg", .string("ES256")), ("kid", .string(keyID))],
            claims: [("iss", .string(teamID)), ("iat", .integer(now.seconds))], with: key)
    }

    /// The ids, without the key.
    package var description: String { "APNsSigner(keyID: \(keyID), teamID: \(teamID))" }
}
