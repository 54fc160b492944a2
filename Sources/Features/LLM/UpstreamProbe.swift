package import Inference

/// Asks Ollama how it is, at most every few seconds however often somebody wants to know.
package actor UpstreamProbe {
    /// How old an answer may be.
    static let freshness = Duration.seconds(5)
    /// How long an answer may take.
    package static let patience = Duration.seconds(1)

    private let upstream: OllamaUpstream
    private var known: (health: UpstreamHealth, at: ContinuousClock.Instant)?
    private var asking: Task<UpstreamHealth, Never>?

    package init(upstream: OllamaUpstream) { self.upstream = upstream }

    /// How Ollama was a moment ago.
    package func latest() async -> UpstreamHealth {
        if let known, ContinuousClock.now - known.at < Self.freshness { return known.health }
        if let asking { return await asking.value }
        let task = Task { [upstream] in await upstream.health(timeout: Self.patience) }
        asking = task
        let health = await task.value
        asking = nil
        known = (health, .now)
        return health
    }
}
