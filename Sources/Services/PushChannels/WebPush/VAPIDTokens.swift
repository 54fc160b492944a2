import Push
import Schedules
import Synchronization

/// The tokens for push services, one for each origin, signed when they are needed.
final class VAPIDTokens: Sendable {
    /// The most origins that are remembered.
    static let origins = 64

    private let signer: VAPIDSigner
    private let tokens = Mutex<[String: VAPIDToken]>([:])

    init(_ signer: VAPIDSigner) { self.signer = signer }

    /// The value of the header `authorization`.
    ///
    /// - Throws: A failure of the cryptography library.
    func authorization(for origin: String, at now: Instant) throws -> String {
        try tokens.withLock { tokens in
            if let token = tokens[origin], !token.isOver(at: now) { return token.authorization }
            let token = try signer.sign(origin: origin, at: now)
            if tokens.count >= Self.origins, tokens[origin] == nil,
                let oldest = tokens.min(by: { $0.value.signed < $1.value.signed })
            {
                tokens[oldest.key] = nil
            }
            tokens[origin] = token
            return token.authorization
        }
    }

    /// Forgets a token that a service did not accept: the clock may have been wrong when it was signed.
    func forget(_ origin: String) { tokens.withLock { $0[origin] = nil } }

    /// The number of tokens that are remembered.
    var count: Int { tokens.withLock { $0.count } }
}
