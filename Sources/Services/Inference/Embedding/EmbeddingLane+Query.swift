import GatewayAPI
import Synchronization
package import Transport

/// Thrown when the weights behind a model's name in Ollama differ from the requested digest.
package struct ModelChanged: Error {
    /// The model's name.
    package var model: String
}

/// Embeds one text for a waiting request.
extension EmbeddingLane {
    /// Whether a model gives a harmless text a vector of a length. Then texts without a usable vector are at fault themselves;
    /// else the model is.
    ///
    /// - Throws: ``UpstreamError`` when the model cannot be reached.
    package func works(
        _ model: EmbeddingModel, dimensions: Int, as caller: AdmissionCaller
    ) async throws(UpstreamError) -> Bool {
        let text = "Selene"
        let key = EmbeddingKey.Maker(model).key(for: text)
        let fetched = await fetch(
            [key],
            for: Request(model: model, caller: caller, cache: nil, texts: [key: text], cost: EmbeddingCost()))
        if Task.isCancelled { throw .cancelled }
        switch fetched.outcome[key] ?? .failure(.cancelled) {
        case .success(let vector): return vector.count == dimensions && vector.contains { $0 != 0 }
        case .failure(let error) where error.isRefusalOfInput: return false
        case .failure(let error): throw error
        }
    }

    /// Returns the cached vector of a text; nil on a cache miss, or when the model has no digest.
    package func cached(_ text: String, with model: EmbeddingModel) async -> [Float]? {
        guard let cache, model.digest != nil else { return nil }
        let key = EmbeddingKey.Maker(model).key(for: text)
        guard let vector = await cache.vectors(for: [key])[key] else { return nil }
        state.withLock { state in
            state.statistics.requested += 1
            state.statistics.cached += 1
        }
        return vector
    }

    /// Embeds a text, prefix included, that ``cached(_:with:)`` did not find.
    ///
    /// - Parameters:
    ///   - model: A given digest must match Ollama's current model, since vectors of two models cannot be compared. A
    ///     missing digest is looked up and used to read the cache.
    ///   - caller: The caller and priority for admission.
    ///   - timeout: The timeout of the whole call.
    ///   - cost: Receives the token cost, also when this throws.
    /// - Throws: ``UpstreamError``, with ``UpstreamError/Code/firstByteTimeout`` after the timeout; ``ModelChanged``;
    ///   `CancellationError`.
    package func vector(
        of text: String, with model: EmbeddingModel, as caller: AdmissionCaller, within timeout: Duration,
        cost: EmbeddingCost
    ) async throws -> [Float] {
        try await withThrowingTaskGroup(of: [Float].self) { group in
            group.addTask {
                var model = model
                if let digest = model.digest {
                    guard try await self.digests.requireDigest(of: model.name) == digest else {
                        throw ModelChanged(model: model.name)
                    }
                } else if self.cache != nil {
                    model.digest = await self.digests.digest(of: model.name)
                    if let vector = await self.cached(text, with: model) { return vector }
                }
                let key = EmbeddingKey.Maker(model).key(for: text)
                let fetched = await self.fetch(
                    [key],
                    for: Request(
                        model: model, caller: caller, cache: model.digest == nil ? nil : self.cache,
                        texts: [key: text], cost: cost))
                if Task.isCancelled { throw UpstreamError.cancelled }
                self.state.withLock { state in
                    state.statistics.requested += 1
                    state.statistics.shared += fetched.shared.count
                }
                let vector = try (fetched.outcome[key] ?? .failure(.cancelled)).get()
                guard vector.contains(where: { $0 != 0 }) else {
                    throw UpstreamError(
                        .invalidResponse, "\(self.calls.peer(model.name)) sent a vector of zeros for the text")
                }
                return vector
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw UpstreamError(
                    .firstByteTimeout,
                    "\(self.calls.peer(model.name)) gave no vector within \(timeout.milliseconds) ms")
            }
            defer { group.cancelAll() }
            guard let vector = try await group.next() else { throw CancellationError() }
            return vector
        }
    }
}
