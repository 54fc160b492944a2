import Cryptography

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The marks around notes in prompts: one for each session or book, so that the prompts of a conversation begin alike and a model's server
/// can go on from what it computed for the last one.
///
/// No note can know a mark: it is the HMAC-SHA256 of the session's id, with a secret of this process. And it is removed from every text
/// that it surrounds.
struct SessionFences: Sendable {
    private let secret = SymmetricKey(size: .bits256)

    func fence(of session: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(session.utf8), using: secret)
        let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return "=====" + String(number, radix: 36) + "====="
    }
}
