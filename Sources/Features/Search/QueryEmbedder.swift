package import Access
import GatewayAPI
package import Inference
package import Storage
import Synchronization
package import Transport

/// Turns a query into a vector of the active embedding space, or says why it cannot.
///
/// The lane's cache keeps vectors, so that a query that is repeated or refined by filters costs no call. Checks now and
/// then that Ollama still serves the very model that filled the space: vectors of two models are never compared.
package final class QueryEmbedder: Sendable {
    /// How long a look at the model's digest is trusted.
    static let digestFreshness = Duration.seconds(60)

    private let upstream: OllamaUpstream
    private let lane: EmbeddingLane
    private let timeout: Duration
    private let verified = Mutex<[SpaceID: ContinuousClock.Instant]>([:])

    package init(upstream: OllamaUpstream, lane: EmbeddingLane, timeout: Duration) {
        self.upstream = upstream
        self.lane = lane
        self.timeout = timeout
    }

    /// The vector of a query in a space.
    ///
    /// - Parameter account: Who asks, for a fair share of the upstream, and pays for what the cache does not have.
    /// - Throws: ``UpstreamError`` when Ollama does not give one in time, ``SpaceMismatch`` when it gives one of another
    ///   space, `CancellationError`.
    package func vector(for text: String, in space: StoredSpace, account: TokenAccount) async throws -> [Float] {
        try await Self.within(timeout) { try await self.fetch(text, in: space, account) }
    }

    /// A vector, unless it takes too long.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/firstByteTimeout``, or what the operation throws.
    static func within(
        _ timeout: Duration, _ operation: @escaping @Sendable () async throws -> [Float]
    ) async throws -> [Float] {
        try await withThrowingTaskGroup(of: [Float].self) { group in
            group.addTask { try await operation() }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw UpstreamError(.firstByteTimeout, "Ollama gave no vector within \(timeout.milliseconds) ms")
            }
            defer { group.cancelAll() }
            guard let vector = try await group.next() else { throw CancellationError() }
            return vector
        }
    }

    private func fetch(_ text: String, in space: StoredSpace, _ account: TokenAccount) async throws -> [Float] {
        let identity = space.space
        let model = EmbeddingModel(name: identity.model, digest: identity.digest)
        let input = identity.queryPrefix + text
        // What was had before is right for the space, whatever Ollama holds now, and whether it runs or not.
        var vector = await lane.cached(input, with: model)
        if vector == nil {
            try await verifyDigest(of: space)
            vector = try await lane.embed(input, with: model, for: account, isKnownMiss: true)
        }
        guard let vector, vector.count == identity.dimensions else {
            throw SpaceMismatch(
                reason: "\(identity.model) gives \(vector?.count ?? 0) dimensions, the stored vectors have "
                    + "\(identity.dimensions); run `selene backfill`")
        }
        return vector
    }

    private func verifyDigest(of space: StoredSpace) async throws {
        let now = ContinuousClock.now
        if let seen = verified.withLock({ $0[space.id] }), now - seen < Self.digestFreshness { return }
        let digest = try await upstream.digest(of: space.space.model)
        guard digest == space.space.digest else {
            throw SpaceMismatch(
                reason:
                    "\(space.space.model) has changed in Ollama since the notes were embedded; run `selene backfill`")
        }
        verified.withLock { $0[space.id] = now }
    }
}

extension EmbeddingLane {
    /// The vector of one text, at an account's expense; nil when there is none.
    ///
    /// - Throws: ``UpstreamError``; ``UpstreamError/Code/failed`` before anything is sent when the account has no tokens
    ///   left.
    package func embed(
        _ text: String, with model: EmbeddingModel, for account: TokenAccount, isKnownMiss: Bool = false
    ) async throws(UpstreamError) -> [Float]? {
        guard !account.isSpent else {
            throw UpstreamError(.failed, "the query was not embedded: this key's tokens of the day are used up")
        }
        let cost = EmbeddingCost()
        defer { account.charge(cost.tokens) }
        let found = try await embed(
            [text], with: model, as: AdmissionCaller(account.name), isKnownMiss: isKnownMiss, cost: cost)
        return try found.results.first?.get()
    }
}

/// Ollama would answer with vectors of another space than the stored ones.
struct SpaceMismatch: Error {
    /// The sentence for the reply's `fallback_reason`.
    var reason: String
}
