package import HTTPTypes

// The names are literals and valid tokens, so unwrapping them cannot fail.
extension HTTPField.Name {
    /// The id of a request, from the client or made here.
    package static let requestID = HTTPField.Name("X-Request-Id")!
    /// Tells a reverse proxy in front not to collect a stream before it passes it on.
    package static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    /// Where Anthropic's clients put their key.
    static let apiKey = HTTPField.Name("X-Api-Key")!
    /// The upstream that an administration route is for, by its name.
    package static let seleneUpstream = HTTPField.Name("X-Selene-Upstream")!
    /// The last event that a reader of server-sent events has seen.
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// Asked of a page of another network that calls one that is private.
    static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// The answer to it.
    static let accessControlAllowPrivateNetwork = HTTPField.Name("Access-Control-Allow-Private-Network")!
    /// Which origins' pages may embed a response.
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    /// What a browser tells others of a page's address.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// Where a browser's request comes from, seen from the gateway.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
