import Inference
import Logging
import Storage
import Text
import Transport

/// Finds and prepares the space that a backfill fills.
struct EmbeddingTarget: Sendable {
    let database: any BackfillStore
    let models: EmbeddingModels
    let lane: EmbeddingLane
    let options: BackfillOptions
    let account: EmbeddingAccount?
    let logger: Logger

    /// Finds the space of the model's current weights, or creates it. For a new space it embeds one short
    /// text to learn the dimensions.
    ///
    /// - Throws: ``UpstreamError``, ``StorageError``.
    func find(_ retry: BackfillRetryPolicy) async throws -> StoredSpace {
        let profile = options.profile ?? ModelProfile(model: options.model)
        let digest = try await retrying(retry) { () async throws(UpstreamError) in
            try await models.digest(of: options.model)
        }
        let version = options.chunks ? Chunker.version : 0
        let known = try await database.spaces.find(
            model: options.model, digest: digest, queryPrefix: profile.queryPrefix,
            documentPrefix: profile.documentPrefix, chunkerVersion: version)
        if let known { return known }
        try await account?.check()
        let cost = EmbeddingCost()
        defer { account?.charge(cost.tokens, options.model) }
        let probe = try await retrying(retry) { () async throws(UpstreamError) in
            try await lane.embed(
                [profile.prepared("probe", kind: .document)], with: EmbeddingModel(name: options.model, digest: digest),
                as: BackfillWorker.caller, cost: cost
            ).embeddings(model: options.model)
        }
        guard probe.dimensions > 0 else {
            throw UpstreamError(.invalidResponse, "\(options.model) returned an empty vector")
        }
        return try await database.spaces.ensure(
            EmbeddingSpace(
                model: options.model, digest: digest, dimensions: probe.dimensions, queryPrefix: profile.queryPrefix,
                documentPrefix: profile.documentPrefix, chunkerVersion: version))
    }

    /// Prepares a space: activates it if no space is active, copies vectors from another space of the model, and queues
    /// the remaining notes.
    ///
    /// - Returns: The number of notes whose vectors were copied.
    func prepare(_ space: StoredSpace) async throws -> Int {
        let active = try await database.spaces.active()
        if active == nil { try await database.spaces.activate(space.id) }
        var copied = 0
        if active?.id != space.id {
            copied = try await database.spaces.copyWholeNotes(into: space, maxBytes: Chunker.maxBytes)
        }
        try await database.queue.freeDeadLeases()
        try await database.queue.reconcile(for: space.id)
        return copied
    }

    /// The active space, if it is not the target and its model is still there. During a migration, new notes go into
    /// both spaces.
    func active(besides target: StoredSpace) async -> StoredSpace? {
        guard let active = try? await database.spaces.active(), active.id != target.id,
            [0, Chunker.version].contains(active.space.chunkerVersion),
            let digest = try? await models.digest(of: active.space.model), digest == active.space.digest
        else { return nil }
        return active
    }

    /// Retries a call after a pause while Ollama is unreachable or busy.
    private func retrying<Value: Sendable>(
        _ retry: BackfillRetryPolicy, _ call: () async throws(UpstreamError) -> Value
    ) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await call()
            } catch {
                try Task.checkCancellation()
                failures += 1
                let asked = error.retryAfterSeconds
                guard error.isOutage, let pause = retry.pause(afterFailures: failures, asked: asked) else {
                    throw error
                }
                logger.notice(
                    "the model is unavailable; retrying", metadata: ["pause": "\(pause)", "reason": "\(error)"])
                try await Task.sleep(for: pause)
            }
        }
    }
}
