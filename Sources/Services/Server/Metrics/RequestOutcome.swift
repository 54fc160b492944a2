package import HTTPTypes

/// What became of one request: the one thing from which metrics, logs and statistics are made.
package struct RequestOutcome: Sendable {
    /// How far a request has come.
    package enum Phase: String, CaseIterable, Sendable {
        /// The client is asked who it is, and its body comes.
        case receiving
        /// It waits for a place at the upstream.
        case queued
        /// The upstream, or this gateway, works on the first byte: loading and reading the prompt count.
        case waiting
        /// The response goes out.
        case streaming
        /// The response is whole.
        case done
    }

    /// The pattern of the route, one of a bounded number.
    package var route: String
    /// The path without its query, for logs.
    package var path: String
    package var method: HTTPRequest.Method
    /// The status that was sent; 499 when the client left before one was.
    package var status: Int
    /// The phase in which it ended.
    package var phase: Phase
    /// Whether the client left before the end.
    package var isCancelled = false
    /// Whether the upstream failed after the response had begun, so that its status says nothing of that.
    package var isBroken = false
    /// Whether it is passed on to Ollama's own route.
    package var isProxied = false
    /// Whether a model worked for it.
    package var isInference = false
    package var requestBytes = 0
    package var responseBytes = 0
    /// From its head to its end.
    package var total = Duration.zero
    /// How long it waited for a place; nil when it needed none, or got none.
    package var queued: Duration?
    /// From the place at the upstream, or the request, to the response's first byte.
    package var firstByte: Duration?
    /// From the response's first byte to its last.
    package var streamed: Duration?
    /// The upstream that it went to, where there are several.
    package var upstream: String?
    /// The model that was asked for; nil when the body was not read.
    package var model: String?
    /// Tokens that the model read; nil when nobody counted them.
    package var promptTokens: Int?
    /// Tokens that it wrote.
    package var generatedTokens: Int?
    /// How long the model took to load, when Ollama said so.
    package var load: Duration?
    /// Who asked: a key's name, `token` or `anonymous`.
    package var key: String?

    package init(route: String, path: String, method: HTTPRequest.Method, status: Int, phase: Phase) {
        self.route = route
        self.path = path
        self.method = method
        self.status = status
        self.phase = phase
    }
}
