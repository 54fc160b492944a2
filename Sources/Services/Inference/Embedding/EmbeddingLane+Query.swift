import GatewayAPI
import Synchronization
import Transport

/// Ollama holds other weights under a model's name than those that were asked for.
public struct ModelChanged: Error {
    /// The model's name.
    public var model: String
}

/// One text that somebody waits for.
extension EmbeddingLane {
    /// The vector of a text if the cache has it; nil too when the model's digest is not given.
    public func cached(_ text: String, with model: EmbeddingModel) async -> [Float]? {
        guard let cache, model.digest != nil else { return nil }
        let key = EmbeddingKey.Maker(model).key(for: text)
        guard let vector = await cache.vectors(for: [key])[key] else { return nil }
        state.withLock { state in
            state.statistics.requested += 1
            state.statistics.cached += 1
        }
        return vector
    }

    /// The vector of a text that ``cached(_:with:)`` did not have, prefix included.
    ///
    /// - Parameters:
    ///   - model: Its digest, when given, must be the one of the model that Ollama holds: vectors of two models are never
    ///     compared. A digest that is not given is looked up, and the cache is asked with it.
    ///   - caller: Whose place at the upstream it takes.
    ///   - timeout: How long all of it may take.
    ///   - cost: What the text costs is added to it, also when this throws.
    /// - Throws: ``UpstreamError``, with ``UpstreamError/Code/firstByteTimeout`` after the timeout; ``ModelChanged``;
    ///   `CancellationError`.
    public func vector(
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
                return try (fetched.outcome[key] ?? .failure(.cancelled)).get()
            }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw UpstreamError(.firstByteTimeout, "Ollama gave no vector within \(timeout.milliseconds) ms")
            }
            defer { group.cancelAll() }
            guard let vector = try await group.next() else { throw CancellationError() }
            return vector
        }
    }
}
