package import HTTPTypes
package import Telemetry

/// The outcome of one request, from which metrics, logs and statistics are made.
package struct RequestOutcome: Sendable {
    package enum Phase: String, CaseIterable, Sendable {
        /// The request is authenticated, and its body arrives.
        case receiving
        /// The request waits for a place at the upstream.
        case queued
        /// The upstream, or this gateway, works on the first byte. This includes loading the model and reading the
        /// prompt.
        case waiting
        /// The response is being sent.
        case streaming
        /// The response is complete.
        case done
    }

    /// The pattern of the route, from a bounded set.
    package var route: String
    /// The path without its query, for logs.
    package var path: String
    package var method: HTTPRequest.Method
    /// The status that was sent; 499 when the client left before that.
    package var status: Int
    /// The phase in which the request ended.
    package var phase: Phase
    /// Whether the client left before the end.
    package var isCancelled = false
    /// Whether the upstream failed after the response had begun, which the status cannot show.
    package var isBroken = false
    /// Whether the client speaks HTTP/2.
    package var isHTTP2 = false
    /// Whether the request is proxied to Ollama's own route.
    package var isProxied = false
    /// Whether a model worked on the request.
    package var isInference = false
    package var requestBytes = 0
    package var responseBytes = 0
    /// From the request's head to its end.
    package var total = Duration.zero
    /// How long the request waited for a place; nil when it needed or got none.
    package var queued: Duration?
    /// From admission at the upstream, or from the request, to the response's first byte.
    package var firstByte: Duration?
    /// From the response's first byte to its last.
    package var streamed: Duration?
    /// The upstream of the request, where there are several.
    package var upstream: String?
    /// The row of the caller's key; nil when there is none.
    package var keyID: Int64?
    /// The code of the error that the client got.
    package var error: String?
    /// The requested model; nil when the body was not read.
    package var model: String?
    /// Tokens that the model read; nil when unknown.
    package var promptTokens: Int?
    /// Tokens that the model wrote; nil when unknown.
    package var generatedTokens: Int?
    /// How long the model took to load, if Ollama reported it.
    package var load: Duration?
    /// The trace of the request; nil when it is not recorded.
    package var span: RequestSpan?
    /// The caller: a key's name, `token` or `anonymous`.
    package var key: String?

    package init(route: String, path: String, method: HTTPRequest.Method, status: Int, phase: Phase) {
        self.route = route
        self.path = path
        self.method = method
        self.status = status
        self.phase = phase
    }
}
