import GatewayAPI
import HTTPTypes
import Hummingbird
import Inference
import Server

/// A part of the gateway that has to work before it gets requests.
struct ReadinessCheck: Sendable {
    var name: String
    /// Returns why the part is not ready; nil when it is.
    var reason: @Sendable () async -> String?

    init(_ name: String, reason: @escaping @Sendable () async -> String?) {
        self.name = name
        self.reason = reason
    }
}

/// `GET /ready` and `GET /readyz`: 200 when every part is ready, else 503.
struct ReadyRoute: Sendable {
    private let checks: [ReadinessCheck]
    private let latest = Latest()

    init(_ checks: [ReadinessCheck]) { self.checks = checks }

    /// The route needs no key, so a result holds for a second, for all callers.
    private actor Latest {
        private var known: (checks: [ReadyResponse.Check], at: ContinuousClock.Instant)?
        private var asking: Task<[ReadyResponse.Check], Never>?

        func results(_ checks: [ReadinessCheck]) async -> [ReadyResponse.Check] {
            if let known, ContinuousClock.now - known.at < .seconds(1) { return known.checks }
            if let asking { return await asking.value }
            let task = Task {
                var results: [ReadyResponse.Check] = []
                for check in checks {
                    let reason = await check.reason()
                    results.append(ReadyResponse.Check(name: check.name, ready: reason == nil, reason: reason))
                }
                return results
            }
            asking = task
            let results = await task.value
            (asking, known) = (nil, (results, .now))
            return results
        }
    }

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let excluded = Set(request.queryFields.filter { $0.name == "exclude" }.map(\.value))
        if let unknown = excluded.first(where: { name in !checks.contains { $0.name == name } }) {
            let names = checks.map(\.name).joined(separator: ", ")
            throw GatewayError.field("exclude", "must be one of \(names), got \(unknown.prefix(40))")
        }
        let results = await latest.results(checks).filter { !excluded.contains($0.name) }
        let isReady = results.allSatisfy(\.ready)
        return JSONReply.response(
            ReadyResponse(status: isReady ? "ready" : "not ready", checks: results),
            status: isReady ? .ok : .serviceUnavailable)
    }
}

/// Whether Ollama was reached since the start, or is not needed.
actor UpstreamReadiness {
    private let probe: UpstreamProbe
    private let isNeeded: @Sendable () -> Bool
    private var wasReached = false

    /// - Parameter isNeeded: Whether a model that answers or embeds by default is Ollama's.
    init(_ probe: UpstreamProbe, isNeeded: @escaping @Sendable () -> Bool) {
        self.probe = probe
        self.isNeeded = isNeeded
    }

    func reason() async -> String? {
        guard !wasReached, isNeeded() else { return nil }
        let health = await probe.latest()
        wasReached = health.available
        return wasReached ? nil : "Ollama was not reached yet: \(health.reason ?? "no answer")"
    }
}
