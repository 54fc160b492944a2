package import Access
package import Inference
package import Storage
import Transport

/// Turns a query into a vector, or says why it cannot; the one way for notes and memories.
///
/// The lane's cache keeps vectors, so that a query that is repeated or refined by filters costs no call.
package struct QueryEmbedder: Sendable {
    private let lane: EmbeddingLane
    private let timeout: Duration

    /// - Parameter timeout: How long a query's vector may take before keywords answer alone.
    package init(lane: EmbeddingLane, timeout: Duration) {
        self.lane = lane
        self.timeout = timeout
    }

    /// The vector of a query in a space.
    ///
    /// - Parameter account: Who asks, for a fair share of the upstream, and pays for what the cache does not have.
    /// - Throws: ``UpstreamError`` when Ollama does not give one in time, ``SpaceMismatch`` when it gives one of another
    ///   space, `CancellationError`.
    package func vector(for text: String, in space: StoredSpace, account: TokenAccount) async throws -> [Float] {
        let identity = space.space
        let model = EmbeddingModel(name: identity.model, digest: identity.digest)
        do {
            let vector = try await vector(of: identity.queryPrefix + text, with: model, account: account)
            guard vector.count == identity.dimensions else {
                throw SpaceMismatch(
                    reason: "\(identity.model) gives \(vector.count) dimensions, the stored vectors have "
                        + "\(identity.dimensions); run `selene backfill`")
            }
            return vector
        } catch is ModelChanged {
            throw SpaceMismatch(
                reason: "\(identity.model) has changed in Ollama since the notes were embedded; run `selene backfill`")
        }
    }

    /// The vector of a text, its prefix included.
    ///
    /// - Throws: ``UpstreamError``, with ``UpstreamError/Code/failed`` before anything is sent when the account has no
    ///   tokens left; ``ModelChanged`` when Ollama holds other weights than those with the model's digest;
    ///   `CancellationError`.
    package func vector(of text: String, with model: EmbeddingModel, account: TokenAccount) async throws -> [Float] {
        if let vector = await lane.cached(text, with: model) { return vector }
        guard !account.isSpent else {
            throw UpstreamError(.failed, "the query was not embedded: this key's tokens of the day are used up")
        }
        let cost = EmbeddingCost()
        defer { account.charge(cost.tokens) }
        return try await lane.vector(
            of: text, with: model, as: AdmissionCaller(account.name), within: timeout, cost: cost)
    }
}

/// Ollama would answer with vectors of another space than the stored ones.
struct SpaceMismatch: Error {
    /// The sentence for the reply's `fallback_reason`.
    var reason: String
}
