import HTTPTypes
import Hummingbird
import Synchronization

/// A request in flight, proxied or to a route of the gateway's own.
package protocol LiveRequest: Sendable {
    /// What is known of it now; nil when it has ended.
    func facts() async -> LiveFacts?
    /// Stops it: its work is cancelled, and its client gets an error.
    func stop() async
}

/// What is known of a request in flight.
package struct LiveFacts: Sendable {
    package var method: String
    package var path: String
    package var route: String
    /// The request's id in logs.
    package var requestID: String
    package var request: RequestFacts
    package var upstream: String?
    /// How long it lasts already.
    package var age: Duration
    /// Bytes of the answer so far.
    package var responseBytes: Int
    /// Tokens of the answer so far; nil when nobody counts them before the end.
    package var generatedTokens: Int?

    package init(
        method: String, path: String, route: String, requestID: String, request: RequestFacts, upstream: String? = nil,
        age: Duration, responseBytes: Int, generatedTokens: Int? = nil
    ) {
        (self.method, self.path, self.route, self.requestID) = (method, path, route, requestID)
        (self.request, self.upstream, self.age) = (request, upstream, age)
        (self.responseBytes, self.generatedTokens) = (responseBytes, generatedTokens)
    }
}

/// The requests in flight, by number. Numbers only grow, and are unique in this process.
package final class LiveRequests: Sendable {
    private struct State {
        var last: UInt64 = 0
        var requests: [UInt64: any LiveRequest] = [:]
    }
    private let state = Mutex(State())

    /// The number of requests in flight.
    package var count: Int { state.withLock { $0.requests.count } }

    /// Adds a request and returns its number.
    func begin(_ request: some LiveRequest) -> UInt64 {
        state.withLock { state in
            state.last &+= 1
            state.requests[state.last] = request
            return state.last
        }
    }

    /// Removes a request.
    func end(_ number: UInt64) {
        // What the request holds is released outside of the lock.
        let ended = state.withLock { $0.requests.removeValue(forKey: number) }
        withExtendedLifetime(ended) {}
    }

    /// Returns the oldest requests, oldest first.
    package func oldest(_ limit: Int) -> [(number: UInt64, request: any LiveRequest)] {
        let all = state.withLock { $0.requests }
        return all.keys.sorted().prefix(limit).compactMap { number in all[number].map { (number, $0) } }
    }

    /// The request of a number; nil when it has ended.
    package func find(_ number: UInt64) -> (any LiveRequest)? { state.withLock { $0.requests[number] } }
}

/// A request to a route of the gateway's own.
struct LiveRoute: LiveRequest {
    let path: String
    let method: HTTPRequest.Method
    let context: GatewayRequestContext
    let bytes: MetricsCounter
    let startedAt: ContinuousClock.Instant

    func facts() async -> LiveFacts? {
        LiveFacts(
            method: method.rawValue, path: path, route: context.routePattern, requestID: context.requestID,
            request: context.trace.facts, age: .now - startedAt, responseBytes: bytes.value)
    }

    func stop() async { context.trace.stop() }
}

extension GatewayRequestContext {
    /// The pattern of the request's route; `other` for a path without one.
    var routePattern: String {
        // The router uses this name for paths without a route.
        endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "other"
    }
}
