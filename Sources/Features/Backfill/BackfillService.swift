public import Inference
public import Logging
public import Storage

/// Embeds the notes that have no vectors in a space, or those of an older text.
///
/// Notes are taken from the database's queue under a lease, so any number of runs and processes share the work. Each batch
/// is stored in one transaction as soon as it is embedded: a run that is killed loses at most the batches in flight, one
/// for each concurrent call, and the next run goes on. A note with more passages than a call takes is a batch of its own,
/// and stored once all of them are embedded.
public struct BackfillService: Sendable {
    private let database: GatewayDatabase
    private let options: BackfillOptions
    private let logger: Logger
    private let target: EmbeddingTarget
    private let admission: Admission
    private let account: BackfillAccount?

    /// Creates a backfill.
    ///
    /// - Parameters:
    ///   - admission: The places at the upstream, shared with whoever asks questions, for whom the backfill makes room;
    ///     nil gives it places of its own.
    ///   - cache: Cached vectors; nil embeds every text.
    ///   - account: Who pays for what is embedded; nil for nobody.
    public init(
        database: GatewayDatabase, upstream: OllamaUpstream, options: BackfillOptions,
        admission: Admission? = nil, cache: (any EmbeddingCache)? = nil,
        account: BackfillAccount? = nil, logger: Logger
    ) {
        self.database = database
        self.account = account
        self.options = options
        self.logger = logger
        self.admission =
            admission ?? Admission(maxInFlight: options.concurrency, maxWaiting: options.concurrency * 2)
        let lane = EmbeddingLane(
            upstream: upstream, admission: self.admission, cache: cache,
            options: .init(maxInputs: options.batch, maxBytes: BackfillPlan.maxCallBytes, maxCallsPerRequest: 1))
        target = EmbeddingTarget(
            database: database, upstream: upstream, lane: lane, options: options, account: account, logger: logger)
    }

    /// Runs until no note is pending. Cancelling the task stops after what is stored.
    ///
    /// The first space of a database answers queries from its first batch on; a later one only once it is complete, or has
    /// ``BackfillOptions/switchShare`` of the notes, and not when a person switched away from it before.
    /// - Parameter report: Called after each batch, one call at a time.
    /// - Throws: ``UpstreamError`` when Ollama stays away, ``StorageError``, `CancellationError`.
    public func run(_ report: @Sendable (BackfillProgress) async -> Void) async throws -> BackfillSummary {
        let started = ContinuousClock.now
        let space = try await target.find(RetryPolicy())
        let copied = try await target.prepare(space)
        let beside = await target.active(besides: space)
        var meter = ProgressMeter(database: database, space: space.id)
        await report(try await meter.look())

        let worker = worker()
        let tally = try await worker.drain([beside, space].compactMap { $0 }, mayWait: true) { event in
            guard let progress = try await meter.add(event, in: space.id) else { return }
            if options.switchShare < 1, Double(progress.done) >= options.switchShare * Double(progress.total) {
                try await finish(space)
            }
            await report(progress)
        }
        await report(try await meter.look())
        if let rate = tally.bytesPerSecond { try await database.spaces.keepRate(rate, of: space.space.model) }
        let outcome = try await finish(space)
        let counts = try await database.queue.counts(in: space.id)
        return BackfillSummary(
            space: space, embedded: tally.embedded[space.id] ?? 0, copied: copied,
            failures: try await database.queue.deadLetters(in: space.id).map {
                BackfillFailure(noteID: $0.noteID, reason: $0.reason)
            },
            waiting: counts.waiting + counts.leased, total: try await database.spaces.embeddingCount(in: space.id),
            isActive: try await database.spaces.active()?.id == space.id, wasLeft: outcome == .leftBefore,
            elapsed: ContinuousClock.now - started)
    }

    /// Embeds whatever is written from now on, and fills the space of the model, until the task is cancelled.
    ///
    /// While there is nothing to embed, Ollama is not asked, and the database only by a query of microseconds.
    public func follow(every interval: Duration = .milliseconds(500)) async {
        await Following(database: database, target: target, worker: worker(), logger: logger, interval: interval) {
            _ = try await finish($0)
        }.run()
    }

    private func worker() -> BackfillWorker {
        BackfillWorker(
            queue: database.queue, lane: target.lane, options: options, account: account, logger: logger,
            questions: { [admission] in admission.snapshot.statistics.granted[.interactive] ?? 0 })
    }

    /// Answers queries from a space that has enough vectors.
    @discardableResult
    private func finish(_ space: StoredSpace) async throws -> SpaceSwitch {
        let outcome = try await database.spaces.switch(to: space.id, atLeast: options.switchShare, isAutomatic: true)
        if outcome == .switched {
            logger.notice(
                "another embedding space answers", metadata: ["space": "\(space.id)", "model": "\(space.space.model)"])
        }
        return outcome
    }
}

/// How far a space is, counting what other processes do, without asking the database all the time.
private struct ProgressMeter {
    static let interval = Duration.seconds(1)

    let database: GatewayDatabase
    let space: SpaceID
    private var progress = BackfillProgress(done: 0, total: 0, failed: 0)
    private var lookedAt: ContinuousClock.Instant?

    init(database: GatewayDatabase, space: SpaceID) {
        self.database = database
        self.space = space
    }

    mutating func look() async throws -> BackfillProgress {
        let counts = try await database.queue.counts(in: space)
        let total = try await database.notes.count()
        // The queue may know of notes that are hidden or empty, until their turn comes.
        progress = BackfillProgress(done: max(0, total - counts.all), total: total, failed: counts.failed)
        lookedAt = .now
        return progress
    }

    /// What to report after an event; nil when it is of another space.
    mutating func add(_ event: BackfillWorker.Event, in space: SpaceID) async throws -> BackfillProgress? {
        switch event {
        case .paused(let reason):
            progress.pause = reason
        case .stored(let stored, let count, let failed):
            guard stored == space else { return nil }
            progress.pause = nil
            progress.done = min(progress.total, progress.done + count)
            progress.failed += failed
            if let lookedAt, ContinuousClock.now - lookedAt > Self.interval { return try await look() }
        }
        return progress
    }
}
