/// One finished request, for the log. It has no bodies, no queries and no keys, only their ids and names.
package struct RequestLogEntry: Sendable, Hashable {
    /// Bytes of a path, a model's name or any other text of a request that are kept.
    package static let maxTextBytes = 512

    /// When it ended, in milliseconds since 1970.
    package var at: Int64
    package var method: String
    /// The pattern of its route, from a bounded set.
    package var route: String
    package var path: String
    package var status: Int
    /// The phase in which it ended, `done` for a complete one.
    package var phase: String
    package var keyID: Int64?
    package var key: String?
    package var model: String?
    package var upstream: String?
    /// The code of the error that the client got.
    package var error: String?
    package var requestID: String
    package var isCancelled = false
    package var isBroken = false
    /// How long it waited for a place, in microseconds; nil when it needed none.
    package var queued: Int64?
    /// From the place to the first byte of the upstream's answer, in microseconds.
    package var firstToken: Int64?
    /// From its head to its end, in microseconds.
    package var total: Int64 = 0
    package var promptTokens: Int?
    package var generatedTokens: Int?
    package var requestBytes = 0
    package var responseBytes = 0

    package init(
        at: Int64, method: String, route: String, path: String, status: Int, phase: String = "done", requestID: String
    ) {
        (self.at, self.method, self.route, self.path) = (at, method, route, path)
        (self.status, self.phase, self.requestID) = (status, phase, requestID)
    }
}
