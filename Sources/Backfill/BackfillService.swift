public import Logging
public import Storage
public import Upstream

/// How a backfill goes about its work.
public struct BackfillOptions: Sendable, Hashable {
    /// The embedding model.
    public var model: String
    /// Texts in one embedding call at most: short notes, or passages of long ones.
    public var batch: Int
    /// Calls at once.
    public var concurrency: Int
    /// The model's prefixes; those that are known for it when nil.
    public var profile: ModelProfile?
    /// Whether long notes are cut into passages (``Chunker``); whole notes make a space of their own.
    public var chunks: Bool

    /// Creates options.
    public init(
        model: String, batch: Int = 32, concurrency: Int = 1, profile: ModelProfile? = nil, chunks: Bool = true
    ) {
        self.model = model
        self.batch = max(1, batch)
        self.concurrency = max(1, concurrency)
        self.profile = profile
        self.chunks = chunks
    }
}

/// How far a backfill is.
public struct BackfillProgress: Sendable, Hashable {
    /// Notes with vectors of the space, those of earlier runs counted.
    public var done: Int
    /// Notes that should have some.
    public var total: Int
    /// Notes that the model refused in this run.
    public var failed: Int
}

/// A note that could not be embedded, and why.
public struct BackfillFailure: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// What Ollama said, and of which passage if the note has more than one.
    public var reason: String
}

/// What a backfill did.
public struct BackfillSummary: Sendable {
    /// The space that was filled.
    public var space: StoredSpace
    /// Notes embedded in this run.
    public var embedded: Int
    /// Notes that have no vectors, and why.
    public var failures: [BackfillFailure]
    /// Notes with vectors of the space.
    public var total: Int
    /// Whether queries are answered from this space now.
    public var isActive: Bool
    /// How long the run took.
    public var elapsed: Duration
}

/// Embeds the notes that have no vectors in a space, or those of an older text.
///
/// Each batch is stored in one transaction as soon as it is embedded, and what is pending is asked from the database:
/// a run that is killed loses at most the batches in flight, one for each concurrent call, and the next run goes on. A
/// note with more passages than a call takes is a batch of its own, and stored once all of them are embedded.
public struct BackfillService: Sendable {
    private let database: GatewayDatabase
    private let upstream: OllamaUpstream
    private let options: BackfillOptions
    private let logger: Logger
    private let lane: EmbeddingLane
    private let retry = RetryPolicy()

    /// Creates a backfill.
    ///
    /// - Parameter cache: Vectors that were had before; nil embeds every text.
    public init(
        database: GatewayDatabase, upstream: OllamaUpstream, options: BackfillOptions,
        cache: (any EmbeddingCache)? = nil, logger: Logger
    ) {
        self.database = database
        self.upstream = upstream
        self.options = options
        self.logger = logger
        lane = EmbeddingLane(
            upstream: upstream,
            admission: Admission(maxInFlight: options.concurrency, maxWaiting: options.concurrency * 2), cache: cache,
            options: .init(maxInputs: options.batch, maxBytes: BackfillPlan.maxCallBytes, maxCallsPerRequest: 1))
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
        var plan = BackfillPlan(notes: [], size: options.batch, chunks: options.chunks)
        try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
            var running = 0
            while true {
                while running < options.concurrency {
                    var next = plan.nextBatch()
                    if next == nil {
                        let limit = options.batch * options.concurrency * 4
                        let notes = try await database.pendingNotes(in: space.id, after: position, limit: limit)
                        guard let last = notes.last else { break }
                        position = last.id
                        plan = BackfillPlan(notes: notes, size: options.batch, chunks: options.chunks)
                        next = plan.nextBatch()
                    }
                    guard let batch = next else { break }
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
            try await lane.embed(
                [profile.prepared("probe", kind: .document)], with: EmbeddingModel(name: options.model, digest: digest),
                as: Self.caller
            ).embeddings(model: options.model)
        }
        guard probe.dimensions > 0 else {
            throw UpstreamError(.invalidResponse, "\(options.model) gives vectors without dimensions")
        }
        return try await database.ensureSpace(
            EmbeddingSpace(
                model: options.model, digest: digest, dimensions: probe.dimensions, queryPrefix: profile.queryPrefix,
                documentPrefix: profile.documentPrefix, chunkerVersion: options.chunks ? Chunker.version : 0))
    }

    private struct BatchOutcome: Sendable {
        var embedded = 0
        var failures: [BackfillFailure] = []
    }

    /// Embeds and stores a batch; the notes of which the model refuses a text are left out.
    private func embed(_ batch: [CutNote], in space: StoredSpace) async throws -> BatchOutcome {
        let texts = batch.flatMap(\.texts)
        var embedded: [EmbeddedText] = []
        for call in BackfillPlan.calls(for: texts, size: options.batch) {
            embedded += try await embed(texts[call], in: space.space)
            // The only note that needs several calls is one by itself: once refused, its rest is not embedded.
            if embedded.contains(where: \.isRefused) { break }
        }
        var outcome = BatchOutcome()
        var rows: [EmbeddingRow] = []
        var rest = embedded[...]
        for note in batch {
            let own = rest.prefix(note.texts.count)
            rest = rest.dropFirst(note.texts.count)
            if let failure = Self.failure(of: note, own) {
                logger.warning(
                    "a note cannot be embedded", metadata: ["note": "\(note.id)", "reason": "\(failure.reason)"])
                outcome.failures.append(failure)
            } else {
                rows.append(
                    EmbeddingRow(
                        noteID: note.id, contentHash: note.contentHash, vectors: own.flatMap(\.vector),
                        passages: own.count))
            }
        }
        try await database.storeEmbeddings(rows, in: space)
        outcome.embedded = rows.count
        return outcome
    }

    private static func failure(of note: CutNote, _ texts: ArraySlice<EmbeddedText>) -> BackfillFailure? {
        for (index, text) in texts.enumerated() {
            guard case .refused(let reason) = text else { continue }
            let place = note.texts.count > 1 ? "passage \(index + 1) of \(note.texts.count): " : ""
            return BackfillFailure(noteID: note.id, reason: place + reason)
        }
        return nil
    }

    /// What became of a text.
    private enum EmbeddedText: Sendable {
        case vector(ArraySlice<Float>)
        case refused(String)

        var isRefused: Bool { if case .refused = self { true } else { false } }
        var vector: ArraySlice<Float> { if case .vector(let values) = self { values } else { [] } }
    }

    /// Everything that a backfill embeds can wait.
    private static let caller = AdmissionCaller("backfill", .batch)

    /// Embeds texts; those that the model refuses are told apart.
    private func embed(_ texts: ArraySlice<String>, in space: EmbeddingSpace) async throws -> [EmbeddedText] {
        let model = EmbeddingModel(name: space.model, digest: space.digest)
        let answer = try await retrying { () async throws(UpstreamError) in
            let answer = try await lane.embed(
                texts.map { space.documentPrefix + $0 }, with: model, as: Self.caller)
            if let outage = answer.outage { throw outage }
            return answer
        }
        return try answer.results.map { result in
            switch result {
            case .failure(let error): return .refused(error.message)
            case .success(let vector):
                guard vector.count == space.dimensions else {
                    throw UpstreamError(
                        .invalidResponse,
                        "\(space.model) gave vectors of \(vector.count) dimensions after \(space.dimensions)")
                }
                return vector.contains { $0 != 0 } ? .vector(vector[...]) : .refused("the model gave a vector of zeros")
            }
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

    private static func isTransient(_ error: UpstreamError) -> Bool {
        switch error.code {
        case .refused, .cut, .connectTimeout, .firstByteTimeout, .idleTimeout, .overloaded: true
        case .status: error.status == 503 || error.status == 429 || error.status == 502
        default: false
        }
    }
}
