package import Logging
import Synchronization
package import Transport

/// The Ollama servers behind one gateway.
///
/// Chooses the endpoint of each request (see ``EndpointChoice``), probes endpoints periodically, and replaces the set
/// of endpoints while requests run. A pool of one endpoint always uses it, whatever its breaker says, and does not
/// probe it by default. May be used from any task.
package final class EndpointPool: Sendable {
    /// Probing and draining of the endpoints.
    package struct Options: Sendable, Hashable {
        /// The interval between probes of an endpoint, ± 20%.
        package var probeInterval: Duration
        /// The first-byte timeout of a probe.
        package var probeTimeout: Duration
        /// Whether a single endpoint is probed too.
        package var probesAlways: Bool
        /// How long requests of a removed endpoint may drain.
        package var drainTimeout: Duration

        package init(
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
        var prefixes = PromptPrefixes()
        /// Removed endpoints that still drain.
        var retired: [UInt64: Endpoint] = [:]
    }

    /// Creates a pool.
    ///
    /// - Throws: ``UpstreamError`` when there is no endpoint, two share a name, or file descriptors run out.
    package init(
        _ configurations: [EndpointConfiguration], options: Options = Options(), logger: Logger
    ) throws(UpstreamError) {
        try Self.check(configurations)
        self.options = options
        self.logger = logger
        var endpoints: [Endpoint] = []
        for configuration in configurations { endpoints.append(try Endpoint(configuration)) }
        state = Mutex(State(endpoints: endpoints))
    }

    /// The endpoints in the order of the configuration.
    package var endpoints: [Endpoint] { state.withLock { $0.endpoints } }

    /// Whether the pool has only one endpoint.
    package var isSingle: Bool { state.withLock { $0.endpoints.count == 1 } }

    /// Returns the endpoint with a name; nil when there is none.
    package func endpoint(named name: String) -> Endpoint? { endpoints.first { $0.name == name } }

    /// The number of transfers in flight, including those of removed endpoints.
    package var inFlight: Int {
        state.withLock { state in
            (state.endpoints + Array(state.retired.values)).reduce(0) { $0 + $1.transport.inFlight }
        }
    }

    // MARK: Choosing

    /// Chooses an endpoint for a request and counts the request there.
    ///
    /// - Parameters:
    ///   - model: The model of the request, as Ollama knows it; nil when the request names none.
    ///   - isSameEverywhere: Whether only endpoints with the same weights are eligible. The first endpoint that holds
    ///     the model determines the weights, since vectors of different weights must not be mixed.
    ///   - prompt: The hashes of the body's prefixes, see ``PromptPrefixes``; empty when it does not matter where it is computed.
    ///   - tried: Endpoints where the request failed.
    /// - Returns: nil when every eligible endpoint was tried.
    package func take(
        model: String? = nil, isSameEverywhere: Bool = false, prompt: [UInt64] = [], after tried: [Endpoint] = []
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
            let warm = state.prefixes.endpoint(for: prompt)
            let candidates = state.endpoints.map { endpoint in
                var candidate = endpoint.candidate(for: model, digest: digest, at: now)
                candidate.isColdPrompt = warm != nil && endpoint.name != warm
                if tried.contains(where: { $0 === endpoint }) { candidate.isExcluded = true }
                return candidate
            }
            guard let index = EndpointChoice.choose(candidates) else { return nil }
            let chosen = state.endpoints[index]
            state.prefixes.sent(prompt, to: chosen.name, turn: state.turn)
            return EndpointUse(chosen, isTrial: chosen.begin(turn: state.turn, at: now))
        }
    }

    /// Takes the given endpoint for a request.
    package func take(_ endpoint: Endpoint) -> EndpointUse {
        let turn = state.withLock { state in
            state.turn += 1
            return state.turn
        }
        return EndpointUse(endpoint, isTrial: endpoint.begin(turn: turn, at: .now))
    }

    /// Whether an untried endpoint may hold a model; false without a model.
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

    /// Replaces the endpoints. Unchanged endpoints keep their connections and known state; removed ones drain.
    ///
    /// - Throws: ``UpstreamError`` as ``init(_:options:logger:)``; then the endpoints stay unchanged.
    package func replace(with configurations: [EndpointConfiguration]) throws(UpstreamError) {
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
                // Released outside the lock.
                let gone = self.state.withLock { $0.retired.removeValue(forKey: id) }
                withExtendedLifetime(gone) {}
            }
        }
    }

    private static func check(_ configurations: [EndpointConfiguration]) throws(UpstreamError) {
        guard !configurations.isEmpty else { throw UpstreamError(.invalidAddress, "no upstream is configured") }
        var names: Set<String> = []
        for configuration in configurations where !names.insert(configuration.name).inserted {
            throw UpstreamError(.invalidAddress, "two upstreams have the name \"\(configuration.name)\"")
        }
    }

    /// Refuses new requests, waits for those in flight, and aborts the rest at the deadline.
    package func shutdown(within timeout: Duration) async {
        let all = state.withLock { $0.endpoints + Array($0.retired.values) }
        await withTaskGroup(of: Void.self) { group in
            for endpoint in all { group.addTask { await endpoint.transport.shutdown(within: timeout) } }
        }
    }
}
