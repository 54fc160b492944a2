package import HTTPTypes

// The names are literals and valid tokens, so unwrapping them cannot fail.
extension HTTPField.Name {
    /// The id of a request, from the client or generated.
    package static let requestID = HTTPField.Name("X-Request-Id")!
    /// Tells a reverse proxy in front not to buffer a stream.
    package static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    /// The header in which Anthropic's clients send their key.
    static let apiKey = HTTPField.Name("X-Api-Key")!
    /// The name of the upstream for an administration route.
    package static let seleneUpstream = HTTPField.Name("X-Selene-Upstream")!
    /// The last event that a reader of server-sent events received.
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// A preflight's request for access from another network to a private one.
    static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// The answer to a request for private network access.
    static let accessControlAllowPrivateNetwork = HTTPField.Name("Access-Control-Allow-Private-Network")!
    /// The origins whose pages may embed a response.
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    /// What a browser tells others of a page's address.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// The relation of a browser request's site to the gateway's.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
