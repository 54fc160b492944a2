package import GatewayAPI
package import Inference
package import Logging
import Storage

/// Embeds notes that are new or changed since their last embedding.
///
/// Runs lease notes from the database's queue, so any number of runs and processes share the work. Each batch is stored
/// in one transaction as soon as it is embedded. A killed run loses at most the batches in flight, two per concurrent
/// call, and the next run continues. A note with more passages than fit in a call is its own batch, which is stored
/// once all passages are embedded.
package struct BackfillService: Sendable {
    let database: any BackfillStore
    private let options: BackfillOptions
    private let logger: Logger
    let target: EmbeddingTarget
    private let admission: Admission
    private let account: EmbeddingAccount?
    private let isPrivate: @Sendable (Note) -> Bool

    /// Creates a backfill with models of Ollama.
    ///
    /// - Parameters:
    ///   - admission: The admission that the backfill shares with interactive requests, to which it yields; nil creates
    ///     a separate one.
    ///   - cache: Cached vectors; nil embeds every text.
    ///   - account: The account to charge; nil charges nobody.
    package init(
        database: any BackfillStore, upstream: OllamaUpstream, options: BackfillOptions,
        admission: Admission? = nil, cache: (any EmbeddingCache)? = nil,
        account: EmbeddingAccount? = nil, logger: Logger
    ) {
        let admission =
            admission ?? Admission(maxInFlight: options.concurrency, maxWaiting: options.concurrency * 2)
        self.init(
            database: database, models: EmbeddingModels(upstream: upstream, admission: admission), options: options,
            cache: cache, account: account, isPrivate: { _ in false }, logger: logger)
    }

    /// Creates a backfill with models of Ollama and other providers.
    ///
    /// - Parameter isPrivate: Whether a note must not be sent to a provider on another machine.
    package init(
        database: any BackfillStore, models: EmbeddingModels, options: BackfillOptions,
        cache: (any EmbeddingCache)? = nil, account: EmbeddingAccount? = nil,
        isPrivate: @escaping @Sendable (Note) -> Bool, logger: Logger
    ) {
        self.database = database
        self.account = account
        self.options = options
        self.logger = logger
        self.isPrivate = isPrivate
        admission = models.admission(for: options.model)
        let lane = EmbeddingLane(
            models: models, admission: admission, cache: cache,
            options: .init(maxInputs: options.batch, maxBytes: BackfillPlan.maxCallBytes, maxCallsPerRequest: 1))
        target = EmbeddingTarget(
            database: database, models: models, lane: lane, options: options, account: account, logger: logger)
    }

    /// Runs until no note is pending. Cancelling the task keeps all stored batches.
    ///
    /// The first space of a database is active from its first batch. A later space becomes active once it has
    /// ``BackfillOptions/switchShare`` of the notes, unless a person switched away from it before.
    ///
    /// - Parameter report: Called after each batch, one call at a time.
    /// - Throws: ``UpstreamError`` when Ollama stays unavailable, ``StorageError``, `CancellationError`.
    package func run(_ report: @Sendable (BackfillProgress) async -> Void) async throws -> BackfillSummary {
        let started = ContinuousClock.now
        let space = try await target.find(BackfillRetryPolicy(within: options.firstTimeout))
        let copied = try await target.prepare(space)
        let beside = await target.active(besides: space)
        if try await isComplete([beside, space].compactMap { $0 }) {
            let total = try await database.spaces.embeddingCount(in: space.id)
            await report(BackfillProgress(done: total, total: total, failed: 0))
            let outcome = try await finish(space)
            return BackfillSummary(
                space: space, embedded: 0, copied: copied, withheld: 0, failures: [], waiting: 0, total: total,
                isActive: try await database.spaces.active()?.id == space.id, wasLeft: outcome == .leftBefore,
                elapsed: ContinuousClock.now - started)
        }
        var meter = ProgressMeter(database: database, space: space.id)
        await report(try await meter.refresh())

        let worker = worker()
        let tally = try await worker.drain([beside, space].compactMap { $0 }, mayWait: true) { event in
            guard let progress = try await meter.add(event, in: space.id) else { return }
            if options.switchShare < 1, Double(progress.done) >= options.switchShare * Double(progress.total) {
                try await finish(space)
            }
            await report(progress)
        }
        await report(try await meter.refresh())
        if let rate = tally.bytesPerSecond { try await database.spaces.keepRate(rate, of: space.space.model) }
        let outcome = try await finish(space)
        let counts = try await database.queue.counts(in: space.id)
        return BackfillSummary(
            space: space, embedded: tally.embedded[space.id] ?? 0, copied: copied,
            withheld: tally.withheld[space.id] ?? 0,
            failures: try await database.queue.deadLetters(in: space.id).map {
                BackfillFailure(noteID: $0.noteID, reason: $0.reason)
            },
            waiting: counts.waiting + counts.leased, total: try await database.spaces.embeddingCount(in: space.id),
            isActive: try await database.spaces.active()?.id == space.id, wasLeft: outcome == .leftBefore,
            elapsed: ContinuousClock.now - started)
    }

    /// Fills the space of the model and embeds new notes, until the task is cancelled.
    ///
    /// While nothing is pending it does not call Ollama; it runs one query that takes microseconds.
    package func follow(every interval: Duration = .milliseconds(500)) async {
        await ContinuousBackfill(
            database: database, target: target, worker: worker(), logger: logger, interval: interval
        ) {
            _ = try await finish($0)
        }.run()
    }

    /// Whether the queues of spaces are empty, failed notes included.
    private func isComplete(_ spaces: [StoredSpace]) async throws -> Bool {
        for space in spaces where try await database.queue.counts(in: space.id).all > 0 { return false }
        return true
    }

    private func worker() -> BackfillWorker {
        BackfillWorker(
            queue: database.queue, withheld: WithheldNotes(notes: database.notes, models: target.models, isPrivate),
            lane: target.lane, options: options, account: account, logger: logger,
            questions: { [admission] in
                let granted = admission.snapshot.statistics.granted
                return (granted[.interactive] ?? 0) &+ (granted[.preferred] ?? 0)
            })
    }

    /// Makes a space active if it has enough vectors.
    @discardableResult
    private func finish(_ space: StoredSpace) async throws -> SpaceSwitch {
        let outcome = try await database.spaces.switch(to: space.id, atLeast: options.switchShare, isAutomatic: true)
        if outcome == .switched {
            logger.notice(
                "switched the embedding space", metadata: ["space": "\(space.id)", "model": "\(space.space.model)"])
        }
        return outcome
    }
}

/// Tracks the progress of a space, including other processes' work, with at most one query per ``interval``.
private struct ProgressMeter {
    static let interval = Duration.seconds(1)

    let database: any BackfillStore
    let space: SpaceID
    private var progress = BackfillProgress(done: 0, total: 0, failed: 0)
    private var lookedAt: ContinuousClock.Instant?

    init(database: any BackfillStore, space: SpaceID) {
        self.database = database
        self.space = space
    }

    mutating func refresh() async throws -> BackfillProgress {
        let counts = try await database.queue.counts(in: space)
        let total = try await database.notes.count()
        // The queue may contain hidden or empty notes, until they are processed.
        progress = BackfillProgress(done: max(0, total - counts.all), total: total, failed: counts.failed)
        lookedAt = .now
        return progress
    }

    /// The progress after an event; nil for an event of another space.
    mutating func add(_ event: BackfillWorker.Event, in space: SpaceID) async throws -> BackfillProgress? {
        switch event {
        case .paused(let reason):
            progress.pause = reason
        case .stored(let stored, let count, let failed):
            guard stored == space else { return nil }
            progress.pause = nil
            progress.done = min(progress.total, progress.done + count)
            progress.failed += failed
            if let lookedAt, ContinuousClock.now - lookedAt > Self.interval { return try await refresh() }
        }
        return progress
    }
}
