import Cryptography
package import Push
import Schedules

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Keeps the provider token of a process for the next one, in a file that only its owner can read.
///
/// APNs refuses a team that signs tokens more often than every 20 minutes, as a gateway that is started twice would. The
/// token is valid for an hour. A file that cannot be read or written costs no more than a new token.
package struct APNsTokenFile: Sendable {
    private let path: String
    private let keyID: String
    private let teamID: String

    /// Creates the file of a signer's tokens; nothing is written yet.
    package init(path: String, of signer: APNsSigner) {
        self.path = path
        (keyID, teamID) = (signer.keyID, signer.teamID)
    }

    /// The path of the provider token of a key. Each key has a file of its own, since a new key may have the ids of a wrong one.
    package static func path(of key: String, besides database: String) -> String {
        let mark = SHA256.hash(data: Array(key.utf8)).prefix(8).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }
        return "\(database)-apns-token-\(mark.joined())"
    }

    /// The token of the same key and team that was stored last; nil if there is none.
    func load() -> (signed: Instant, authorization: String)? {
        guard let text = try? PrivateKeyFile.text(path, field: "token") else { return nil }
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == keyID, parts[1] == teamID, let seconds = Int64(parts[2]),
            parts[3].utf8.allSatisfy({ (0x20...0x7E).contains($0) }), parts[3].hasPrefix("bearer ")
        else { return nil }
        return (Instant(seconds: seconds), String(parts[3]))
    }

    /// Replaces the stored token. A reader sees the old one or the new one.
    func store(_ authorization: String, signed: Instant) {
        let text = [keyID, teamID, "\(signed.seconds)", authorization].joined(separator: "\n")
        let draft = "\(path).\(getpid())"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = Array(text.utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        if count != bytes.count || (unsafe rename(draft, path)) != 0 { _ = unsafe unlink(draft) }
    }
}
