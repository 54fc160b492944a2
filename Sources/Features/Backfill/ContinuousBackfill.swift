import Inference
import Logging
import Storage
import Transport

/// Embeds new and changed notes while a server runs.
struct ContinuousBackfill: Sendable {
    /// How long the choice of spaces stays valid while there is work.
    static let freshness = Duration.seconds(60)

    let database: any BackfillStore
    let target: EmbeddingTarget
    let worker: BackfillWorker
    let logger: Logger
    let interval: Duration
    /// Called when a space has nothing left to embed.
    let finish: @Sendable (StoredSpace) async throws -> Void

    /// The spaces to fill, and when they were determined.
    private struct Spaces {
        var all: [StoredSpace]
        var target: StoredSpace?
        var active: StoredSpace?
        var foundAt: ContinuousClock.Instant
    }

    init(
        database: any BackfillStore, target: EmbeddingTarget, worker: BackfillWorker, logger: Logger,
        interval: Duration,
        finish: @escaping @Sendable (StoredSpace) async throws -> Void
    ) {
        self.database = database
        self.target = target
        self.worker = worker
        self.logger = logger
        self.interval = interval
        self.finish = finish
    }

    /// Runs until the task is cancelled.
    func run() async {
        var spaces: Spaces?
        var outage: Outage?
        var said: String?
        while !Task.isCancelled {
            do {
                try await turn(&spaces)
                outage = nil
                said = nil
                try await Task.sleep(for: interval)
            } catch is CancellationError {
                return
            } catch {
                if Task.isCancelled { return }
                spaces = nil
                let error = error as? UpstreamError ?? UpstreamError(.failed, "\(error)")
                // An outage may last for days, so it is logged once.
                if said != error.message {
                    logger.warning("new notes are not embedded for now", metadata: ["reason": "\(error.message)"])
                }
                said = error.message
                let now = ContinuousClock.now
                if outage == nil { outage = Outage(error, now: now) } else { outage?.failed(error, now: now) }
                try? await Task.sleep(until: outage?.until ?? now + .seconds(1), clock: .continuous)
            }
        }
    }

    private func turn(_ spaces: inout Spaces?) async throws {
        // Triggers fill the queue. Another program that rebuilds its tables drops them.
        try await database.keepTriggers()
        let active = try await database.spaces.active()
        if let known = spaces, known.active?.id == active?.id {
            guard try await hasWork(known.all) else { return }
            if ContinuousClock.now - known.foundAt > Self.freshness { spaces = nil }
        } else {
            spaces = nil
        }
        if spaces == nil {
            guard try await database.notes.hasTextToEmbed() else { return }
            spaces = try await find()
        }
        guard let now = spaces else { return }
        try await worker.drain(now.all, mayWait: false) { _ in }
        if let target = now.target, try await !hasWork([target]) { try await finish(target) }
        // The active space changed, so the spaces to fill may differ.
        if try await database.spaces.active()?.id != now.active?.id { spaces = nil }
    }

    private func hasWork(_ spaces: [StoredSpace]) async throws -> Bool {
        for space in spaces {
            if let due = try await database.queue.nextDue(in: space.id), due == .zero { return true }
        }
        return false
    }

    /// Finds the model's space and, during a migration, the active space. A space that a person switched away from is
    /// not filled.
    private func find() async throws -> Spaces {
        let wanted = try await target.find(BackfillRetryPolicy(attempts: 1))
        let isLeft = try await database.spaces.all().contains {
            $0.stored.id == wanted.id && !$0.isActive && $0.activatedAt != nil
        }
        if !isLeft { _ = try await target.prepare(wanted) }
        let beside = await target.active(besides: wanted)
        if let beside { try await database.queue.reconcile(for: beside.id) }
        return Spaces(
            all: [beside, isLeft ? nil : wanted].compactMap { $0 }, target: isLeft ? nil : wanted,
            active: try await database.spaces.active(), foundAt: .now)
    }
}
