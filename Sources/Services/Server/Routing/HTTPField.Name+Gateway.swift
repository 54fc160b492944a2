package import HTTPTypes

// The names are literals and valid tokens, so unwrapping them cannot fail.
extension HTTPField.Name {
    /// The id of a request, from the client or generated.
    package static let requestID = HTTPField.Name("X-Request-Id")!
    /// Tells a reverse proxy in front not to buffer a stream.
    package static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
    /// The mark of a request that was handed over; see ``Handover``.
    static let handover = HTTPField.Name("X-Selene-Handover")!
    /// The header in which Anthropic's clients send their key.
    static let apiKey = HTTPField.Name("X-Api-Key")!
    /// The run that answers a request to one of the gateway's own models.
    package static let seleneRun = HTTPField.Name("X-Selene-Run")!
    /// The name of the upstream for an administration route.
    package static let seleneUpstream = HTTPField.Name("X-Selene-Upstream")!
    /// The model that answered for an alias of several.
    package static let seleneModel = HTTPField.Name("X-Selene-Model")!
    /// A client's name for a request that it may repeat.
    package static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// The last event that a reader of server-sent events received.
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// A preflight's request for access from another network to a private one.
    static let accessControlRequestPrivateNetwork = HTTPField.Name("Access-Control-Request-Private-Network")!
    /// The answer to a request for private network access.
    static let accessControlAllowPrivateNetwork = HTTPField.Name("Access-Control-Allow-Private-Network")!
    /// The revision of the Model Context Protocol that a request is in.
    package static let mcpProtocolVersion = HTTPField.Name("MCP-Protocol-Version")!
    /// The method of an MCP request.
    package static let mcpMethod = HTTPField.Name("Mcp-Method")!
    /// The tool, the prompt or the resource of an MCP request.
    package static let mcpName = HTTPField.Name("Mcp-Name")!
    /// The origins whose pages may embed a response.
    static let crossOriginResourcePolicy = HTTPField.Name("Cross-Origin-Resource-Policy")!
    /// What a browser tells others of a page's address.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    /// The relation of a browser request's site to the gateway's.
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// What a browser does with a response: `navigate` for a page.
    static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    /// Where a browser shows a response: `document` for a page of its own.
    static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    /// The protocol that the client of a reverse proxy used.
    package static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    /// Says that a page of the gateway sent the request: pages of other origins cannot send it with a cookie.
    package static let selene = HTTPField.Name("X-Selene")!
    /// The secret with which a new device asks whether its pairing was approved.
    package static let selenePoll = HTTPField.Name("X-Selene-Poll")!
    /// What a page may use of the device.
    package static let permissionsPolicy = HTTPField.Name("Permissions-Policy")!
    /// The pages that share a page's process.
    package static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
}
