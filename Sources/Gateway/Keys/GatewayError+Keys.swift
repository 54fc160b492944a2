import HTTPTypes
import Storage

extension GatewayError.Code {
    /// The key has expired.
    public static let keyExpired = GatewayError.Code(rawValue: "key_expired")
    /// The key lacks the scope that the route wants.
    public static let missingScope = GatewayError.Code(rawValue: "missing_scope")
    /// The key may not use the model.
    public static let modelNotAllowed = GatewayError.Code(rawValue: "model_not_allowed")
    /// The key's requests of the minute are used up.
    public static let rateLimited = GatewayError.Code(rawValue: "rate_limited")
    /// The key's tokens of the day are used up.
    public static let quotaExceeded = GatewayError.Code(rawValue: "quota_exceeded")
}

/// What a key's own terms refuse.
extension GatewayError {
    static var keyExpired: GatewayError { GatewayError(.forbidden, .keyExpired, "this key has expired") }

    static func missingScope(_ scope: KeyScope, has scopes: Set<KeyScope>) -> GatewayError {
        let words = scopes.words.joined(separator: ", ")
        return GatewayError(
            .forbidden, .missingScope,
            "this needs the scope \"\(scope.rawValue)\"; the key has \(words.isEmpty ? "none" : words)",
            headers: [
                .wwwAuthenticate: "Bearer realm=\"selene\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
            ])
    }

    static func modelNotAllowed(_ model: String, allowed: [String]) -> GatewayError {
        GatewayError(
            .forbidden, .modelNotAllowed,
            "this key may not use the model \"\(model)\"; it may use \(allowed.joined(separator: ", "))")
    }

    static func rateLimited(limit: Int, wait: Duration) -> GatewayError {
        GatewayError(
            .tooManyRequests, .rateLimited, "this key may make \(limit) requests a minute",
            headers: [.retryAfter: String(max(1, wait.secondsRoundedUp))])
    }

    static func quotaExceeded(limit: Int, retryAfterSeconds seconds: Int64) -> GatewayError {
        GatewayError(
            .tooManyRequests, .quotaExceeded,
            "this key may use \(limit) tokens a day, and they are used up; the next day begins at 00:00 UTC",
            headers: [.retryAfter: String(max(1, seconds))])
    }

    /// Seconds after which another try is worth it; nil when the error does not say.
    var retryAfterSeconds: Int? { headers[.retryAfter].flatMap { Int($0) } }
}

extension Duration {
    /// Whole seconds, rounded up.
    fileprivate var secondsRoundedUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
