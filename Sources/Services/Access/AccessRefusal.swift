package import Storage

/// Why a key does not let its holder do something. The server decides how that looks in HTTP.
package enum AccessRefusal: Error, Sendable, Hashable {
    /// The key has expired.
    case keyExpired
    /// The key that began the work was revoked.
    case keyRevoked
    /// What came is no key.
    case wrongKey
    /// What came is no key, and many that are none came from the same address before.
    case tooManyWrongKeys(retryAfterSeconds: Int, closes: Bool)
    /// Too many operations of the identity run and wait.
    case tooManyOperations(running: Int, waiting: Int, retryAfterSeconds: Int)
    /// The key lacks the scope that the route wants.
    case missingScope(KeyScope, has: Set<KeyScope>)
    /// The key may not use the model.
    case modelNotAllowed(String, allowed: [String])
    /// The key's requests of the minute are used up.
    case rateLimited(limit: Int, wait: Duration)
    /// The key's tokens of the day are used up.
    case quotaExceeded(limit: Int, retryAfterSeconds: Int64)
}
