import Storage
import Synchronization
import Upstream

/// Turns a query into a vector of the active embedding space, or says why it cannot.
///
/// Keeps the latest vectors, so that a query that is repeated or refined by filters costs no call. Checks now and then
/// that Ollama still serves the very model that filled the space: vectors of two models are never compared.
final class QueryEmbedder: Sendable {
    /// Vectors kept.
    static let cacheLimit = 1024
    /// How long a look at the model's digest is trusted.
    static let digestFreshness = Duration.seconds(60)

    private let upstream: OllamaUpstream
    private let admission: Admission
    private let timeout: Duration
    private let state = Mutex(State())

    private struct State {
        var vectors: [CacheKey: [Float]] = [:]
        var order: [CacheKey] = []
        var verified: [SpaceID: ContinuousClock.Instant] = [:]
    }

    private struct CacheKey: Hashable {
        var space: SpaceID
        var text: String
    }

    init(upstream: OllamaUpstream, admission: Admission, timeout: Duration) {
        self.upstream = upstream
        self.admission = admission
        self.timeout = timeout
    }

    /// The vector of a query in a space.
    ///
    /// - Throws: ``UpstreamError`` when Ollama does not give one in time, ``SpaceMismatch`` when it gives one of another
    ///   space, `CancellationError`.
    func vector(for text: String, in space: StoredSpace) async throws -> [Float] {
        let key = CacheKey(space: space.id, text: text)
        if let cached = state.withLock({ $0.vectors[key] }) { return cached }
        return try await withThrowingTaskGroup(of: [Float].self) { [timeout] group in
            group.addTask { try await self.fetch(key, in: space) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw UpstreamError(.firstByteTimeout, "Ollama gave no vector within \(timeout.milliseconds) ms")
            }
            defer { group.cancelAll() }
            guard let vector = try await group.next() else { throw CancellationError() }
            return vector
        }
    }

    private func fetch(_ key: CacheKey, in space: StoredSpace) async throws -> [Float] {
        try await verifyDigest(of: space)
        let identity = space.space
        let embeddings = try await admission.withPermit {
            try await upstream.embed(model: identity.model, inputs: [identity.queryPrefix + key.text])
        }
        guard embeddings.dimensions == identity.dimensions else {
            throw SpaceMismatch(
                reason: "\(identity.model) gives \(embeddings.dimensions) dimensions, the stored vectors have "
                    + "\(identity.dimensions); run `selene backfill`")
        }
        state.withLock { state in
            if state.vectors.updateValue(embeddings.values, forKey: key) == nil { state.order.append(key) }
            if state.order.count > Self.cacheLimit {
                // A quarter goes at once, so that the shift is paid for rarely.
                for old in state.order.prefix(Self.cacheLimit / 4) { state.vectors[old] = nil }
                state.order.removeFirst(Self.cacheLimit / 4)
            }
        }
        return embeddings.values
    }

    private func verifyDigest(of space: StoredSpace) async throws {
        let now = ContinuousClock.now
        if let seen = state.withLock({ $0.verified[space.id] }), now - seen < Self.digestFreshness { return }
        let digest = try await upstream.digest(of: space.space.model)
        guard digest == space.space.digest else {
            throw SpaceMismatch(
                reason:
                    "\(space.space.model) has changed in Ollama since the notes were embedded; run `selene backfill`")
        }
        state.withLock { $0.verified[space.id] = now }
    }
}

/// Ollama would answer with vectors of another space than the stored ones.
struct SpaceMismatch: Error {
    /// The sentence for the reply's `fallback_reason`.
    var reason: String
}
