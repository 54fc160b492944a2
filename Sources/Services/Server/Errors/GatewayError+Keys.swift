package import Access
import GatewayAPI
import HTTPTypes

extension GatewayError.Code {
    /// The key has expired.
    package static let keyExpired = GatewayError.Code(rawValue: "key_expired")
    /// Too many wrong keys came from one address.
    package static let tooManyWrongKeys = GatewayError.Code(rawValue: "too_many_wrong_keys")
    /// The key lacks the scope that the route needs.
    package static let missingScope = GatewayError.Code(rawValue: "missing_scope")
    /// The key may not use the model.
    package static let modelNotAllowed = GatewayError.Code(rawValue: "model_not_allowed")
    /// The key has used up its requests for this minute.
    package static let rateLimited = GatewayError.Code(rawValue: "rate_limited")
    /// The key has used up its tokens for this day.
    package static let quotaExceeded = GatewayError.Code(rawValue: "quota_exceeded")
}

/// Maps refusals of a key to HTTP errors.
extension GatewayError {
    /// Creates the HTTP error of a refusal.
    package init(_ refusal: AccessRefusal) {
        switch refusal {
        case .keyExpired: self.init(.forbidden, .keyExpired, "this key has expired")
        case .keyRevoked: self.init(.forbidden, .forbidden, "the key that began this job was revoked")
        case .wrongKey: self.init(.forbidden, .forbidden, "the bearer token is not valid")
        case .keyNotForPaths:
            self.init(
                .forbidden, Code(rawValue: "key_not_for_paths"),
                "this key may not stand in front of a path, because addresses end up in logs; make one that may with "
                    + "`selene keys create NAME --in-path`")
        case .signature(let fault):
            self.init(.forbidden, Code(rawValue: "signature_refused"), Self.message(fault))
        case .tooManyWrongKeys(let seconds, let closes):
            self.init(
                .tooManyRequests, .tooManyWrongKeys,
                "the bearer token is not valid, and this address sent too many wrong ones; a valid one is answered",
                headers: closes
                    ? [.retryAfter: String(seconds), .connection: "close"] : [.retryAfter: String(seconds)])
        case .tooManyPairingTries(let seconds):
            self.init(
                .tooManyRequests, Code(rawValue: "too_many_tries"),
                "too many wrong pairing codes were sent; try again later", headers: [.retryAfter: String(seconds)])
        case .mayNotGive:
            self.init(
                .forbidden, Code(rawValue: "may_not_give"),
                "this key may give another device no more than its own scopes, models and time, and nothing while its "
                    + "requests or tokens are limited")
        case .tooManyOperations(let running, let waiting, let seconds):
            self.init(
                .tooManyRequests, .overloaded,
                "\(running) searches of this client run and \(waiting) wait, which is the limit; try again later",
                headers: [.retryAfter: String(seconds)])
        case .missingScope(let scope, let scopes):
            let words = scopes.words.joined(separator: ", ")
            let challenge = "Bearer realm=\"selene\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
            self.init(
                .forbidden, .missingScope,
                "this needs the scope \"\(scope.rawValue)\"; the key has \(words.isEmpty ? "none" : words)",
                headers: [.wwwAuthenticate: challenge])
        case .modelNotAllowed(let model, let allowed):
            self.init(
                .forbidden, .modelNotAllowed,
                "this key may not use the model \"\(model)\"; it may use \(allowed.joined(separator: ", "))")
        case .rateLimited(let limit, let wait):
            self.init(
                .tooManyRequests, .rateLimited, "this key may make \(limit) requests a minute",
                headers: [.retryAfter: String(max(1, wait.secondsRoundedUp))])
        case .budgetExceeded(let budget, let seconds):
            self.init(
                .tooManyRequests, .quotaExceeded,
                "this key may spend \(budget) a month, and that is used up; the next month begins on the 1st at 00:00 UTC",
                headers: [.retryAfter: String(max(1, seconds))])
        case .quotaExceeded(let limit, let seconds):
            self.init(
                .tooManyRequests, .quotaExceeded,
                "this key may use \(limit) tokens a day, and they are used up; the next day begins at 00:00 UTC",
                headers: [.retryAfter: String(max(1, seconds))])
        }
    }

    private static func message(_ fault: SignatureFault) -> String {
        switch fault {
        case .unknownKey(let fingerprint):
            "this gateway does not know the key \(fingerprint) that signed the request; add it with "
                + "`selene keys create NAME --ollama \"$(cat ~/.ollama/id_ed25519.pub)\"`"
        case .invalid:
            "the signature is not the key's for this method and path; a proxy in between may have changed the path"
        case .stale(let seconds?):
            "the request was signed \(seconds.magnitude) s \(seconds < 0 ? "ahead of" : "behind") the gateway's clock; set the "
                + "clocks of both machines"
        case .stale(nil): "a signed request says its time once, as the parameter ts"
        case .used: "this signature was used before; sign each request anew"
        }
    }

    /// Seconds to wait before a retry; nil when the error does not say.
    package var retryAfterSeconds: Int? { headers[.retryAfter].flatMap { Int($0) } }
}

extension Duration {
    /// Whole seconds, rounded up.
    fileprivate var secondsRoundedUp: Int64 { components.seconds + (components.attoseconds > 0 ? 1 : 0) }
}
