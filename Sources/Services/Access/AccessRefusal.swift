package import GatewayAPI

/// The reason why a key may not do something. The server maps it to HTTP.
package enum AccessRefusal: Error, Sendable, Hashable {
    /// The key has expired.
    case keyExpired
    /// The key that began the work was revoked.
    case keyRevoked
    /// The token is not a key.
    case wrongKey
    /// The key in front of the path was not made for that.
    case keyNotForPaths
    /// A request was signed, and its signature does not count.
    case signature(SignatureFault)
    /// The token is not a key, and too many wrong ones came from the same address.
    case tooManyWrongKeys(retryAfterSeconds: Int, closes: Bool)
    /// Too many wrong pairing codes were sent.
    case tooManyPairingTries(retryAfterSeconds: Int)
    /// A key may not give another device these rights.
    case mayNotGive
    /// Too many operations of the identity run and wait.
    case tooManyOperations(running: Int, waiting: Int, retryAfterSeconds: Int)
    /// The key lacks the scope that the route needs.
    case missingScope(KeyScope, has: Set<KeyScope>)
    /// The key may not use the model.
    case modelNotAllowed(String, allowed: [String])
    /// The key has used up its requests for this minute.
    case rateLimited(limit: Int, wait: Duration)
    /// The key has used up its tokens for this day.
    case quotaExceeded(limit: Int, retryAfterSeconds: Int64)
    /// The key has used up its money for this month.
    case budgetExceeded(_ budget: String, retryAfterSeconds: Int64)

    /// Whether the credential may have been tried by chance, so that it counts like a wrong key.
    package var isGuess: Bool {
        switch self {
        case .wrongKey, .keyNotForPaths, .signature(.unknownKey), .signature(.invalid): true
        default: false
        }
    }
}
