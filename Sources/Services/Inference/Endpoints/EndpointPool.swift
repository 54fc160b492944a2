public import Logging
import Synchronization
public import Transport

/// Any number of Ollamas behind one gateway.
///
/// Chooses where a request goes (see ``EndpointChoice``), asks the endpoints every few seconds how they are, and lets
/// the set of endpoints be replaced while requests run. A pool of one never hides it: its requests go there whatever the
/// breaker thinks, and nobody asks it anything. May be used from any task.
public final class EndpointPool: Sendable {
    /// How the pool treats its endpoints.
    public struct Options: Sendable, Hashable {
        /// How often each endpoint is asked, give or take a fifth.
        public var probeInterval: Duration
        /// How long an answer to a probe may take to begin.
        public var probeTimeout: Duration
        /// Whether an endpoint is asked even when it is the only one.
        public var probesAlways: Bool
        /// How long requests of an endpoint that was removed may go on.
        public var drainTimeout: Duration

        /// Creates options.
        public init(
            probeInterval: Duration = .seconds(5), probeTimeout: Duration = .seconds(3), probesAlways: Bool = false,
            drainTimeout: Duration = .seconds(3600)
        ) {
            self.probeInterval = probeInterval
            self.probeTimeout = probeTimeout
            self.probesAlways = probesAlways
            self.drainTimeout = drainTimeout
        }
    }

    let options: Options
    let logger: Logger
    private let state: Mutex<State>

    private struct State {
        var endpoints: [Endpoint]
        var turn: UInt64 = 0
        /// Removed, with requests that still run.
        var retired: [UInt64: Endpoint] = [:]
    }

    /// Creates a pool.
    ///
    /// - Throws: ``UpstreamError`` when there is no endpoint, two have the same name, or no descriptor is left.
    public init(
        _ configurations: [EndpointConfiguration], options: Options = Options(), logger: Logger
    ) throws(UpstreamError) {
        try Self.check(configurations)
        self.options = options
        self.logger = logger
        var endpoints: [Endpoint] = []
        for configuration in configurations { endpoints.append(try Endpoint(configuration)) }
        state = Mutex(State(endpoints: endpoints))
    }

    /// The endpoints, in the order of the configuration.
    public var endpoints: [Endpoint] { state.withLock { $0.endpoints } }

    /// Whether there is only one.
    public var isSingle: Bool { state.withLock { $0.endpoints.count == 1 } }

    /// The endpoint of a name.
    public func endpoint(named name: String) -> Endpoint? { endpoints.first { $0.name == name } }

    /// Transfers that run now, those of removed endpoints included.
    public var inFlight: Int {
        state.withLock { state in
            (state.endpoints + Array(state.retired.values)).reduce(0) { $0 + $1.transport.inFlight }
        }
    }

    // MARK: Choosing

    /// Takes the endpoint for a request.
    ///
    /// - Parameters:
    ///   - model: What the request wants to use, as Ollama knows it; nil when it names none.
    ///   - isSameEverywhere: Whether only endpoints count that have the same weights under that name as the first one
    ///     that has any. Vectors of different weights must not be mixed.
    ///   - tried: Endpoints that it failed at.
    /// - Returns: nil when every endpoint that counts was tried.
    public func take(
        model: String? = nil, isSameEverywhere: Bool = false, after tried: [Endpoint] = []
    ) -> EndpointUse? {
        let model = model.map(ModelName.canonical)
        let now = ContinuousClock.now
        return state.withLock { state -> EndpointUse? in
            state.turn += 1
            if state.endpoints.count == 1 {
                let only = state.endpoints[0]
                guard !tried.contains(where: { $0 === only }) else { return nil }
                return EndpointUse(only, isTrial: only.begin(turn: state.turn, at: now))
            }
            let digest = isSameEverywhere ? Self.digest(of: model, state.endpoints) : nil
            let candidates = state.endpoints.map { endpoint in
                var candidate = endpoint.candidate(for: model, digest: digest, at: now)
                if tried.contains(where: { $0 === endpoint }) { candidate.isExcluded = true }
                return candidate
            }
            guard let index = EndpointChoice.choose(candidates) else { return nil }
            let chosen = state.endpoints[index]
            return EndpointUse(chosen, isTrial: chosen.begin(turn: state.turn, at: now))
        }
    }

    /// Takes a certain endpoint.
    public func take(_ endpoint: Endpoint) -> EndpointUse {
        let turn = state.withLock { state in
            state.turn += 1
            return state.turn
        }
        return EndpointUse(endpoint, isTrial: endpoint.begin(turn: turn, at: .now))
    }

    /// Whether an endpoint that was not tried may hold a model; false for no model.
    func mayHold(_ model: String?, besides tried: [Endpoint]) -> Bool {
        guard let model else { return false }
        let name = ModelName.canonical(model)
        return endpoints.contains { endpoint in
            endpoint.holding(of: name) != .absent && !tried.contains { $0 === endpoint }
        }
    }

    private static func digest(of model: String?, _ endpoints: [Endpoint]) -> String? {
        guard let model else { return nil }
        for endpoint in endpoints {
            if let digest = endpoint.digest(of: model), !digest.isEmpty { return digest }
        }
        return nil
    }

    // MARK: Changing

    /// Replaces the endpoints. Those that stay as they are keep their connections and what is known of them; requests of
    /// those that go may end.
    ///
    /// - Throws: ``UpstreamError`` as ``init(_:options:logger:)``; then nothing has changed.
    public func replace(with configurations: [EndpointConfiguration]) throws(UpstreamError) {
        try Self.check(configurations)
        let before = endpoints
        var fresh: [EndpointConfiguration: Endpoint] = [:]
        for configuration in configurations where !before.contains(where: { $0.configuration == configuration }) {
            fresh[configuration] = try Endpoint(configuration)
        }
        let removed = state.withLock { [fresh] state -> [(UInt64, Endpoint)] in
            let old = state.endpoints
            state.endpoints = configurations.compactMap { configuration in
                old.first { $0.configuration == configuration } ?? fresh[configuration]
            }
            let kept = state.endpoints
            return old.filter { endpoint in !kept.contains { $0 === endpoint } }.map { endpoint in
                state.turn += 1
                state.retired[state.turn] = endpoint
                return (state.turn, endpoint)
            }
        }
        for (id, endpoint) in removed {
            Task { [options] in
                await endpoint.transport.shutdown(within: options.drainTimeout)
                // Let go of outside the lock.
                let gone = self.state.withLock { $0.retired.removeValue(forKey: id) }
                withExtendedLifetime(gone) {}
            }
        }
    }

    private static func check(_ configurations: [EndpointConfiguration]) throws(UpstreamError) {
        guard !configurations.isEmpty else { throw UpstreamError(.invalidAddress, "there is no upstream") }
        var names: Set<String> = []
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw UpstreamError(.invalidAddress, "two upstreams have the name \"\(configuration.name)\"")
        }
    }

    /// Refuses new requests, waits for those in flight, and aborts what is left at the deadline.
    public func shutdown(within patience: Duration) async {
        let all = state.withLock { $0.endpoints + Array($0.retired.values) }
        await withTaskGroup(of: Void.self) { group in
            for endpoint in all { group.addTask { await endpoint.transport.shutdown(within: patience) } }
        }
    }
}
