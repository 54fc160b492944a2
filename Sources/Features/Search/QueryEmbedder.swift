package import Access
package import Inference
package import Storage
import Transport

/// Embeds the queries of notes and memories, or reports why it cannot.
///
/// The lane caches vectors, so a query that is repeated or refined by filters costs no call.
package struct QueryEmbedder: Sendable {
    private let lane: EmbeddingLane
    private let timeout: Duration

    /// - Parameter timeout: The timeout for a query's vector; keywords then answer alone.
    package init(lane: EmbeddingLane, timeout: Duration) {
        self.lane = lane
        self.timeout = timeout
    }

    /// Why a query that may tell of private texts has no vector from a model; nil when the model may get it.
    package func reasonToWithhold(from model: String) async -> String? {
        await lane.isLocal(model)
            ? nil : "the query may tell of private texts, and the model \(model) runs on another machine"
    }

    /// Returns the vector of a query in a space.
    ///
    /// - Parameter account: The caller, for a fair share of the upstream, and the payer on a cache miss.
    /// - Throws: ``UpstreamError`` when Ollama fails or times out, ``SpaceMismatch`` when its vector belongs to another
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

    /// Returns the vector of a text that already has its prefix.
    ///
    /// - Throws: ``UpstreamError``; with ``UpstreamError/Code/failed``, before anything is sent, when the account has
    ///   no tokens left. ``ModelChanged`` when Ollama's model has another digest. `CancellationError`.
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

/// The error when Ollama's vectors belong to another space than the stored ones.
package struct SpaceMismatch: Error {
    /// The sentence for the reply's `fallback_reason`.
    package let reason: String
}
