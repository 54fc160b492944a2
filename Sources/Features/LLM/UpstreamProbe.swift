package import Inference

/// Checks Ollama's health, at most once per ``freshness`` for all callers.
package actor UpstreamProbe {
    /// How long a result is fresh.
    static let freshness = Duration.seconds(5)
    /// The timeout of a check.
    package static let timeout = Duration.seconds(1)

    private let upstream: OllamaUpstream
    private var known: (health: UpstreamHealth, at: ContinuousClock.Instant)?
    private var asking: Task<UpstreamHealth, Never>?

    package init(upstream: OllamaUpstream) { self.upstream = upstream }

    /// The latest result, at most ``freshness`` old.
    package func latest() async -> UpstreamHealth {
        if let known, ContinuousClock.now - known.at < Self.freshness { return known.health }
        if let asking { return await asking.value }
        let task = Task { [upstream] in await upstream.health(timeout: Self.timeout) }
        asking = task
        let health = await task.value
        asking = nil
        known = (health, .now)
        return health
    }
}
