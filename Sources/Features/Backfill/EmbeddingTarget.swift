import Inference
import Logging
import Storage
import Text
import Transport

/// Finds the space that a backfill fills, and prepares it.
struct EmbeddingTarget: Sendable {
    let database: GatewayDatabase
    let upstream: OllamaUpstream
    let lane: EmbeddingLane
    let options: BackfillOptions
    let account: BackfillAccount?
    let logger: Logger

    /// The space of the model as Ollama holds it now, made when it is new. One short text then tells the dimensions.
    ///
    /// - Throws: ``UpstreamError``, ``StorageError``.
    func find(_ retry: RetryPolicy) async throws -> StoredSpace {
        let profile = options.profile ?? ModelProfile(model: options.model)
        let digest = try await retrying(retry) { () async throws(UpstreamError) in
            try await upstream.digest(of: options.model)
        }
        let version = options.chunks ? Chunker.version : 0
        let known = try await database.space(
            model: options.model, digest: digest, queryPrefix: profile.queryPrefix,
            documentPrefix: profile.documentPrefix, chunkerVersion: version)
        if let known { return known }
        try await account?.check()
        let cost = EmbeddingCost()
        defer { account?.charge(cost.tokens) }
        let probe = try await retrying(retry) { () async throws(UpstreamError) in
            try await lane.embed(
                [profile.prepared("probe", kind: .document)], with: EmbeddingModel(name: options.model, digest: digest),
                as: BackfillWorker.caller, cost: cost
            ).embeddings(model: options.model)
        }
        guard probe.dimensions > 0 else {
            throw UpstreamError(.invalidResponse, "\(options.model) gives vectors without dimensions")
        }
        return try await database.ensureSpace(
            EmbeddingSpace(
                model: options.model, digest: digest, dimensions: probe.dimensions, queryPrefix: profile.queryPrefix,
                documentPrefix: profile.documentPrefix, chunkerVersion: version))
    }

    /// Makes the first space of a database the active one, takes over what another space of the model has, and enqueues
    /// the rest.
    ///
    /// - Returns: How many notes' vectors were taken over.
    func prepare(_ space: StoredSpace) async throws -> Int {
        let active = try await database.activeSpace()
        if active == nil { try await database.activate(space.id) }
        var copied = 0
        if active?.id != space.id {
            copied = try await database.copyWholeNotes(into: space, maxBytes: Chunker.maxBytes)
        }
        try await database.freeLeasesOfTheDead()
        try await database.reconcileQueue(for: space.id)
        return copied
    }

    /// The active space, if it is another one than the target and Ollama still holds the model that filled it: notes that
    /// are written during a migration belong in it, too.
    func active(besides target: StoredSpace) async -> StoredSpace? {
        guard let active = try? await database.activeSpace(), active.id != target.id,
            [0, Chunker.version].contains(active.space.chunkerVersion),
            let digest = try? await upstream.digest(of: active.space.model), digest == active.space.digest
        else { return nil }
        return active
    }

    /// Calls again after a pause when Ollama is away or busy.
    private func retrying<Value: Sendable>(
        _ retry: RetryPolicy, _ call: () async throws(UpstreamError) -> Value
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
                logger.notice("Ollama is away; trying again", metadata: ["pause": "\(pause)", "reason": "\(error)"])
                try await Task.sleep(for: pause)
            }
        }
    }
}
