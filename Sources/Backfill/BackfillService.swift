public import Logging
public import Storage
public import Upstream

/// How a backfill goes about its work.
public struct BackfillOptions: Sendable, Hashable {
    /// The embedding model.
    public var model: String
    /// Notes in one embedding call.
    public var batch: Int
    /// Calls at once.
    public var concurrency: Int
    /// The model's prefixes; those that are known for it when nil.
    public var profile: ModelProfile?

    /// Creates options.
    public init(model: String, batch: Int = 32, concurrency: Int = 1, profile: ModelProfile? = nil) {
        self.model = model
        self.batch = max(1, batch)
        self.concurrency = max(1, concurrency)
        self.profile = profile
    }
}

/// How far a backfill is.
public struct BackfillProgress: Sendable, Hashable {
    /// Notes with a vector of the space, those of earlier runs counted.
    public var done: Int
    /// Notes that should have one.
    public var total: Int
    /// Notes that the model refused in this run.
    public var failed: Int
}

/// A note that could not be embedded, and why.
public struct BackfillFailure: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// What Ollama said.
    public var reason: String
}

/// What a backfill did.
public struct BackfillSummary: Sendable {
    /// The space that was filled.
    public var space: StoredSpace
    /// Notes embedded in this run.
    public var embedded: Int
    /// Notes that have no vector, and why.
    public var failures: [BackfillFailure]
    /// Notes with a vector of the space.
    public var total: Int
    /// Whether queries are answered from this space now.
    public var isActive: Bool
    /// How long the run took.
    public var elapsed: Duration
}

/// Embeds the notes that have no vector in a space, or one of an older text.
///
/// Each batch is stored in one transaction as soon as it is embedded, and what is pending is asked from the database:
/// a run that is killed loses at most the batches in flight, one for each concurrent call, and the next run goes on.
public struct BackfillService: Sendable {
    private let database: GatewayDatabase
    private let upstream: OllamaUpstream
    private let options: BackfillOptions
    private let logger: Logger
    private let retry = RetryPolicy()

    /// Creates a backfill.
    public init(database: GatewayDatabase, upstream: OllamaUpstream, options: BackfillOptions, logger: Logger) {
        self.database = database
        self.upstream = upstream
        self.options = options
        self.logger = logger
    }

    /// Runs until no note is pending. Cancelling the task stops after what is stored.
    ///
    /// The first space of a database answers queries from its first batch on; a later one only once it is complete.
    /// - Parameter report: Called after each batch, one call at a time.
    /// - Throws: ``UpstreamError`` when Ollama stays away, ``StorageError``, `CancellationError`.
    public func run(_ report: @Sendable (BackfillProgress) async -> Void) async throws -> BackfillSummary {
        let started = ContinuousClock.now
        let space = try await openSpace()
        let isFirstSpace = try await database.activeSpace() == nil
        if isFirstSpace { try await database.activate(space.id) }
        let pending = try await database.pendingCount(in: space.id)
        let before = try await database.noteCount() - pending
        var progress = BackfillProgress(done: before, total: before + pending, failed: 0)
        await report(progress)

        var embedded = 0
        var failures: [BackfillFailure] = []
        var position: Int64 = 0
        var queue: [[PendingNote]] = []
        try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
            var running = 0
            while true {
                while running < options.concurrency {
                    if queue.isEmpty {
                        let limit = options.batch * options.concurrency * 4
                        let notes = try await database.pendingNotes(in: space.id, after: position, limit: limit)
                        guard let last = notes.last else { break }
                        position = last.id
                        queue = BackfillPlan.batches(of: notes, size: options.batch)
                    }
                    let batch = queue.removeFirst()
                    group.addTask { try await embed(batch, in: space) }
                    running += 1
                }
                guard let outcome = try await group.next() else { break }
                running -= 1
                embedded += outcome.embedded
                failures += outcome.failures
                progress.done = before + embedded
                progress.failed = failures.count
                // Notes that others add meanwhile are embedded too.
                progress.total = max(progress.total, progress.done + progress.failed)
                await report(progress)
            }
        }

        let total = try await database.embeddingCount(in: space.id)
        if !isFirstSpace, failures.isEmpty { try await database.activate(space.id) }
        let isActive = try await database.activeSpace()?.id == space.id
        return BackfillSummary(
            space: space, embedded: embedded, failures: failures, total: total, isActive: isActive,
            elapsed: ContinuousClock.now - started)
    }

    /// The space of the model as Ollama holds it now. One short text tells the dimensions, and loads the model.
    private func openSpace() async throws -> StoredSpace {
        let profile = options.profile ?? ModelProfile(model: options.model)
        let digest = try await retrying { () async throws(UpstreamError) in
            try await upstream.digest(of: options.model)
        }
        let probe = try await retrying { () async throws(UpstreamError) in
            try await upstream.embed(model: options.model, inputs: [profile.prepared("probe", kind: .document)])
        }
        guard probe.dimensions > 0 else {
            throw UpstreamError(.invalidResponse, "\(options.model) gives vectors without dimensions")
        }
        return try await database.ensureSpace(
            EmbeddingSpace(
                model: options.model, digest: digest, dimensions: probe.dimensions, queryPrefix: profile.queryPrefix,
                documentPrefix: profile.documentPrefix))
    }

    private struct BatchOutcome: Sendable {
        var embedded = 0
        var failures: [BackfillFailure] = []
    }

    /// Embeds and stores a batch. When the model refuses it, its halves are tried, down to the note that is to blame.
    private func embed(_ batch: [PendingNote], in space: StoredSpace) async throws -> BatchOutcome {
        let prefix = space.space.documentPrefix
        do {
            let embeddings = try await retrying { () async throws(UpstreamError) in
                try await upstream.embed(model: space.space.model, inputs: batch.map { prefix + $0.text })
            }
            let rows = try batch.enumerated().map { index, note in
                let vector = embeddings.vector(index)
                guard vector.contains(where: { $0 != 0 }) else {
                    throw UpstreamError(.status, "the model gave a vector of zeros", status: 400)
                }
                return EmbeddingRow(noteID: note.id, contentHash: note.contentHash, vector: vector)
            }
            try await database.storeEmbeddings(rows, in: space)
            return BatchOutcome(embedded: batch.count)
        } catch let error as UpstreamError where Self.isRefusal(error) {
            guard batch.count > 1 else {
                logger.warning("a note cannot be embedded", metadata: ["note": "\(batch[0].id)", "reason": "\(error)"])
                return BatchOutcome(failures: [BackfillFailure(noteID: batch[0].id, reason: error.message)])
            }
            let middle = batch.count / 2
            var outcome = try await embed(Array(batch[..<middle]), in: space)
            let rest = try await embed(Array(batch[middle...]), in: space)
            outcome.embedded += rest.embedded
            outcome.failures += rest.failures
            return outcome
        }
    }

    /// Calls again after a pause when Ollama is away or busy.
    private func retrying<Value: Sendable>(_ call: () async throws(UpstreamError) -> Value) async throws -> Value {
        var failures = 0
        while true {
            do {
                return try await call()
            } catch {
                try Task.checkCancellation()
                failures += 1
                guard Self.isTransient(error), let pause = retry.pause(afterFailures: failures) else { throw error }
                logger.notice("Ollama is away; trying again", metadata: ["pause": "\(pause)", "reason": "\(error)"])
                try await Task.sleep(for: pause)
            }
        }
    }

    /// Whether the input is to blame: Ollama answers 400 for it, and some models 500.
    private static func isRefusal(_ error: UpstreamError) -> Bool {
        error.code == .status && (error.status == 400 || error.status == 500)
    }

    private static func isTransient(_ error: UpstreamError) -> Bool {
        switch error.code {
        case .refused, .cut, .connectTimeout, .firstByteTimeout, .idleTimeout, .overloaded: true
        case .status: error.status == 503 || error.status == 429 || error.status == 502
        default: false
        }
    }
}
