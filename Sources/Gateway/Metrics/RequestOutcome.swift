import HTTPTypes

/// What became of one request: the one thing from which metrics, logs and statistics are made.
struct RequestOutcome: Sendable {
    /// How far a request has come.
    enum Phase: String, CaseIterable, Sendable {
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
    var route: String
    /// The path without its query, for logs.
    var path: String
    var method: HTTPRequest.Method
    /// The status that was sent; 499 when the client left before one was.
    var status: Int
    /// The phase in which it ended.
    var phase: Phase
    /// Whether the client left before the end.
    var isCancelled = false
    /// Whether the upstream failed after the response had begun, so that its status says nothing of that.
    var isBroken = false
    /// Whether it is passed on to Ollama's own route.
    var isProxied = false
    /// Whether a model worked for it.
    var isInference = false
    var requestBytes = 0
    var responseBytes = 0
    /// From its head to its end.
    var total = Duration.zero
    /// How long it waited for a place; nil when it needed none, or got none.
    var queued: Duration?
    /// From the place at the upstream, or the request, to the response's first byte.
    var firstByte: Duration?
    /// From the response's first byte to its last.
    var streamed: Duration?
    /// The upstream that it went to, where there are several.
    var upstream: String?
    /// The model that was asked for; nil when the body was not read.
    var model: String?
    /// Tokens that the model read; nil when nobody counted them.
    var promptTokens: Int?
    /// Tokens that it wrote.
    var generatedTokens: Int?
    /// How long the model took to load, when Ollama said so.
    var load: Duration?
    /// Who asked: a key's name, `token` or `anonymous`.
    var key: String?
}
