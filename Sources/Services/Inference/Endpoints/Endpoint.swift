import Synchronization
package import Transport

/// One Ollama server: its transport and its known state.
package final class Endpoint: Sendable {
    /// The name, address and key.
    package let configuration: EndpointConfiguration
    let transport: UpstreamTransport
    private let state = Mutex(State())

    private struct State {
        var breaker = CircuitBreaker()
        var inventory: EndpointInventory?
        var inFlight = 0
        /// Until when the endpoint asked not to be sent requests.
        var restsUntil: ContinuousClock.Instant?
        var lastChosen: UInt64 = 0
        var reason: String?
        var report = EndpointBreaker()
        /// The health at the last report of a change.
        var wasHealthy = true
    }

    init(_ configuration: EndpointConfiguration) throws(UpstreamError) {
        self.configuration = configuration
        transport = try UpstreamTransport(configuration: configuration.upstream)
    }

    package var name: String { configuration.name }

    /// A snapshot of the known state.
    package var status: EndpointStatus {
        state.withLock { state in
            EndpointStatus(
                name: name, baseURL: configuration.upstream.baseURL, isHealthy: state.breaker.isClosed,
                inFlight: state.inFlight, models: state.inventory?.models.keys.sorted(),
                loaded: state.inventory?.loaded.sorted() ?? [], reason: state.reason,
                breaker: state.report)
        }
    }

    // MARK: Requests

    /// Sends a request for a consumer with callbacks.
    ///
    /// - Throws: ``UpstreamError`` when too many transfers are in flight.
    package func start(_ request: UpstreamRequest) throws(UpstreamError) -> UpstreamExchange {
        try transport.start(withKey(request))
    }

    /// Sends a request and returns its response head. The endpoint counts the request until the body ends.
    func send(_ request: UpstreamRequest, as use: EndpointUse? = nil) async throws(UpstreamError) -> UpstreamResponse {
        try await transport.send(withKey(request.traced(as: .ollama(configuration.upstream))), holding: use)
    }

    private func withKey(_ request: UpstreamRequest) -> UpstreamRequest {
        guard let key = configuration.key else { return request }
        var request = request
        request.headers.append(("Authorization", "Bearer \(key)"))
        return request
    }

    // MARK: State

    /// Returns the state that ``EndpointChoice`` needs.
    ///
    /// - Parameters:
    ///   - model: A canonical name.
    ///   - digest: The required weights; nil accepts any.
    func candidate(for model: String?, digest: String?, at now: ContinuousClock.Instant) -> EndpointChoice.Candidate {
        state.withLock { state in
            var holding = EndpointChoice.Holding.unknown
            var isExcluded = false
            if let model {
                if let inventory = state.inventory { holding = inventory.holding(of: model) }
                if let digest { isExcluded = state.inventory?.models[model] != digest }
            }
            return EndpointChoice.Candidate(
                isHealthy: state.breaker.allows(at: now) && state.restsUntil.map { $0 <= now } != false,
                holding: holding, inFlight: state.inFlight,
                lastChosen: state.lastChosen, isExcluded: isExcluded)
        }
    }

    /// Whether the endpoint is healthy and its models are unknown.
    var isUnknown: Bool { state.withLock { $0.inventory == nil && $0.breaker.isClosed } }

    /// Returns where a model is; the name must be canonical.
    func holding(of model: String) -> EndpointChoice.Holding {
        state.withLock { $0.inventory?.holding(of: model) ?? .unknown }
    }

    /// Whether a model is known to be installed but not loaded.
    package func hasToLoad(_ model: String) -> Bool { holding(of: ModelName.canonical(model)) == .stored }

    /// Returns a model's digest; nil when the model is not known to be installed.
    func digest(of model: String) -> String? { state.withLock { $0.inventory?.models[model] } }

    /// Counts a request in flight; returns whether the request is the trial of the breaker.
    func begin(turn: UInt64, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            state.inFlight += 1
            state.lastChosen = turn
            defer { state.report.follow(state.breaker, at: now) }
            return state.breaker.begin(at: now)
        }
    }

    /// The longest time that an answer may ask requests to stay away.
    static let longestRest = Duration.seconds(60)

    /// Sends requests to other endpoints for a while, as this one asked; it is used only when no other is healthy.
    func rest(for time: Duration) {
        let until = ContinuousClock.now + min(max(time, .zero), Self.longestRest)
        state.withLock { $0.restsUntil = max($0.restsUntil ?? until, until) }
    }

    /// Records the outcome of a request up to its response head.
    func learn(_ outcome: EndpointOutcome, isTrial: Bool) {
        let now = ContinuousClock.now
        state.withLock { state in
            switch outcome {
            case .success: state.breaker.requestSucceeded()
            case .failure: state.breaker.requestFailed(isTrial: isTrial, at: now)
            case .nothing: state.breaker.requestAbandoned(isTrial: isTrial, at: now)
            }
            state.report.follow(state.breaker, at: now)
        }
    }

    /// Ends a request. After a trial without an outcome, the next request is the trial.
    func leave(isTrial: Bool) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.inFlight -= 1
            state.breaker.requestAbandoned(isTrial: isTrial, at: now)
            state.report.follow(state.breaker, at: now)
        }
    }

    /// Discards the inventory after a possible change; until the next probe every model is unknown.
    package func forgetModels() { state.withLock { $0.inventory = nil } }

    /// Records that the gateway loaded a model; the name must be canonical.
    func didLoad(_ model: String) { state.withLock { _ = $0.inventory?.loaded.insert(model) } }

    /// Records a probe's result; returns the new health when it changed, otherwise nil.
    func didProbe(_ result: Result<EndpointInventory, UpstreamError>) -> Bool? {
        let now = ContinuousClock.now
        return state.withLock { state in
            switch result {
            case .success(let inventory):
                state.inventory = inventory
                state.reason = nil
                state.breaker.probeSucceeded(at: now)
            case .failure(let error):
                state.reason = error.message
                state.breaker.probeFailed(at: now)
            }
            state.report.follow(state.breaker, at: now)
            let isHealthy = state.breaker.isClosed
            defer { state.wasHealthy = isHealthy }
            return isHealthy == state.wasHealthy ? nil : isHealthy
        }
    }
}

/// A snapshot of an endpoint's known state.
package struct EndpointStatus: Sendable, Hashable {
    package var name: String
    /// The endpoint's address.
    package var baseURL: String
    /// Whether the endpoint is healthy and gets requests.
    package var isHealthy: Bool
    /// Requests in flight.
    package var inFlight: Int
    /// Canonical names of the installed models; nil while unknown.
    package var models: [String]?
    /// Canonical names of the loaded models.
    package var loaded: [String]
    /// Why the last probe failed.
    package var reason: String?
    /// What is known of the circuit breaker.
    package var breaker = EndpointBreaker()
}
