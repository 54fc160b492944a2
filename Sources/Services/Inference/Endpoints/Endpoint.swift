import Synchronization
public import Transport

/// One Ollama: the way to it, and what is known of it.
public final class Endpoint: Sendable {
    /// Name, address and key.
    public let configuration: EndpointConfiguration
    let transport: UpstreamTransport
    private let state = Mutex(State())

    private struct State {
        var breaker = CircuitBreaker()
        var inventory: EndpointInventory?
        var inFlight = 0
        var lastChosen: UInt64 = 0
        var reason: String?
        /// Whether it was in order when that was last told.
        var wasInOrder = true
    }

    init(_ configuration: EndpointConfiguration) throws(UpstreamError) {
        self.configuration = configuration
        transport = try UpstreamTransport(configuration: configuration.upstream)
    }

    /// Its name.
    public var name: String { configuration.name }

    /// What is known of it now.
    public var status: EndpointStatus {
        state.withLock { state in
            EndpointStatus(
                name: name, baseURL: configuration.upstream.baseURL, isInOrder: state.breaker.isClosed,
                inFlight: state.inFlight, models: state.inventory?.models.keys.sorted(),
                loaded: state.inventory?.loaded.sorted() ?? [], reason: state.reason)
        }
    }

    // MARK: Requests

    /// Sends a request for a consumer that is called back.
    ///
    /// - Throws: ``UpstreamError`` when too many transfers are in flight.
    public func start(_ request: UpstreamRequest) throws(UpstreamError) -> UpstreamExchange {
        try transport.start(withKey(request))
    }

    /// Sends a request and returns when the response head is there. Its use of the endpoint ends with the body.
    func send(_ request: UpstreamRequest, as use: EndpointUse? = nil) async throws(UpstreamError) -> UpstreamResponse {
        try await transport.send(withKey(request), holding: use)
    }

    private func withKey(_ request: UpstreamRequest) -> UpstreamRequest {
        guard let key = configuration.key else { return request }
        var request = request
        request.headers.append(("Authorization", "Bearer \(key)"))
        return request
    }

    // MARK: State

    /// What the choice needs to know.
    ///
    /// - Parameters:
    ///   - model: A canonical name.
    ///   - digest: The only weights that will do; nil for any.
    func candidate(for model: String?, digest: String?, at now: ContinuousClock.Instant) -> EndpointChoice.Candidate {
        state.withLock { state in
            var holding = EndpointChoice.Holding.unknown
            var isExcluded = false
            if let model {
                if let inventory = state.inventory { holding = inventory.holding(of: model) }
                if let digest { isExcluded = state.inventory?.models[model] != digest }
            }
            return EndpointChoice.Candidate(
                isInOrder: state.breaker.allows(at: now), holding: holding, inFlight: state.inFlight,
                lastChosen: state.lastChosen, isExcluded: isExcluded)
        }
    }

    /// Whether it was never asked what it holds, and nothing is known against it.
    var isUnknown: Bool { state.withLock { $0.inventory == nil && $0.breaker.isClosed } }

    /// Where a model is; the name is canonical.
    func holding(of model: String) -> EndpointChoice.Holding {
        state.withLock { $0.inventory?.holding(of: model) ?? .unknown }
    }

    /// Whether a model is here but not in memory, as far as is known.
    public func hasToLoad(_ model: String) -> Bool { holding(of: ModelName.canonical(model)) == .stored }

    /// The digest of a model; nil when it is not known to be here.
    func digest(of model: String) -> String? { state.withLock { $0.inventory?.models[model] } }

    /// Takes the endpoint for a request; returns whether that is the trial of its breaker.
    func begin(turn: UInt64, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            state.inFlight += 1
            state.lastChosen = turn
            return state.breaker.begin(at: now)
        }
    }

    /// The head of a request's response came, or it failed before.
    func learn(_ outcome: EndpointOutcome, isTrial: Bool) {
        let now = ContinuousClock.now
        state.withLock { state in
            switch outcome {
            case .success: state.breaker.requestSucceeded()
            case .failure: state.breaker.requestFailed(isTrial: isTrial, at: now)
            case .nothing: state.breaker.requestAbandoned(isTrial: isTrial, at: now)
            }
        }
    }

    /// A request is over. A trial of which nothing was learned leaves the breaker to the next.
    func leave(isTrial: Bool) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.inFlight -= 1
            state.breaker.requestAbandoned(isTrial: isTrial, at: now)
        }
    }

    /// What it holds may have changed; until it is asked again, it may hold anything.
    public func forgetModels() { state.withLock { $0.inventory = nil } }

    /// A model was loaded by this gateway; the name is canonical.
    func didLoad(_ model: String) { state.withLock { _ = $0.inventory?.loaded.insert(model) } }

    /// A probe came back; returns whether the endpoint is in order, if that is news.
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
            let isInOrder = state.breaker.isClosed
            defer { state.wasInOrder = isInOrder }
            return isInOrder == state.wasInOrder ? nil : isInOrder
        }
    }
}

/// What is known of an endpoint at a moment.
public struct EndpointStatus: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Where it is.
    public var baseURL: String
    /// Whether requests go there.
    public var isInOrder: Bool
    /// Requests that it has.
    public var inFlight: Int
    /// Canonical names of the models that it holds; nil when it was never asked.
    public var models: [String]?
    /// Canonical names of those in memory.
    public var loaded: [String]
    /// Why the last probe failed.
    public var reason: String?
}
