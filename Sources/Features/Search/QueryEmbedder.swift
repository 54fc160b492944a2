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

    /// Returns the vector of a query in a space.
    ///
    /// - Parameters:
    ///   - account: The caller, for a fair share of the upstream, and the payer on a cache miss.
    ///   - mayTellPrivate: Whether the text is sent to no model on another machine.
    /// - Throws: ``UpstreamError`` when Ollama fails or times out or must not get the text, ``SpaceMismatch`` when its vector
    ///   belongs to another space, `CancellationError`.
    package func vector(
        for text: String, in space: StoredSpace, account: TokenAccount, mayTellPrivate: Bool
    ) async throws -> [Float] {
        let identity = space.space
        let model = EmbeddingModel(name: identity.model, digest: identity.digest)
        do {
            let vector = try await vector(
                of: identity.queryPrefix + text, with: model, account: account, mayTellPrivate: mayTellPrivate)
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
    /// - Parameter mayTellPrivate: Whether the text is sent to no model on another machine. A cached vector needs no model.
    /// - Throws: ``UpstreamError``; with ``UpstreamError/Code/failed``, before anything is sent, when the account has
    ///   no tokens left or the model must not get the text. ``ModelChanged`` when Ollama's model has another digest.
    ///   `CancellationError`.
    package func vector(
        of text: String, with model: EmbeddingModel, account: TokenAccount, mayTellPrivate: Bool
    ) async throws -> [Float] {
        if let vector = await lane.cached(text, with: model) { return vector }
        guard !account.isSpent else {
            throw UpstreamError(
                .failed, "the query was not embedded: this key's tokens of the day or its budget are used up")
        }
        var rest = timeout
        if mayTellPrivate {
            let began = ContinuousClock.now
            if let reason = await reasonToWithhold(from: model.name) {
                try Task.checkCancellation()
                throw UpstreamError(.failed, reason)
            }
            rest -= min(rest, ContinuousClock.now - began)
        }
        let cost = EmbeddingCost()
        defer { account.charge(cost.tokens, of: model.name) }
        return try await lane.vector(
            of: text, with: model, as: account.caller, within: rest, cost: cost)
    }

    /// Why a model must not get a query that may tell of private texts; nil when it may.
    private func reasonToWithhold(from model: String) async -> String? {
        switch await lane.isLocal(model, within: timeout) {
        case true?: nil
        case false?: "the query may tell of private texts, and the model \(model) runs on another machine"
        case nil: "the query may tell of private texts, and it is not known where the model \(model) runs"
        }
    }
}

/// The error when Ollama's vectors belong to another space than the stored ones.
package struct SpaceMismatch: Error {
    /// The sentence for the reply's `fallback_reason`.
    package let reason: String
}
