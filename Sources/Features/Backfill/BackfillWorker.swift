import Concurrency
import Inference
import Logging
import Machine
import Storage
import Transport

/// Leases notes from the queue, embeds them and stores their vectors.
struct BackfillWorker: Sendable {
    /// The caller of all embedding calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("backfill", .batch)
    /// The maximum bytes of text held in addition to calls in flight, unless a single note is longer.
    static let maxHeldBytes = 4 << 20
    /// How often an idle run checks whether other workers released notes.
    static let lookInterval = Duration.milliseconds(200)

    /// An event of a run.
    enum Event: Sendable {
        /// A batch was stored: the number of notes embedded, and of notes that failed for good.
        case stored(SpaceID, Int, failed: Int)
        /// The run waits, with the reason.
        case paused(String)
    }

    /// The counts of a run.
    struct Tally: Sendable {
        /// Notes embedded, by space.
        var embedded: [SpaceID: Int] = [:]
        /// Private notes that were not sent, by space.
        var withheld: [SpaceID: Int] = [:]
        /// Bytes of text embedded, and the time spent in calls.
        var bytes = 0
        var busy = Duration.zero

        /// The measured rate; nil when too few bytes were embedded.
        var bytesPerSecond: Double? {
            let seconds = busy / .seconds(1)
            return bytes > 2000 && seconds > 0 ? Double(bytes) / seconds : nil
        }
    }

    let queue: any BackfillQueue
    let withheld: WithheldNotes
    let lane: EmbeddingLane
    let options: BackfillOptions
    let account: EmbeddingAccount?
    let logger: Logger
    /// The number of interactive requests so far.
    let questions: @Sendable () -> Int

    /// Embeds the due notes of spaces, in the order of the spaces.
    ///
    /// - Parameter mayWait: Whether to wait for postponed notes and for notes leased by other workers.
    /// - Throws: ``UpstreamError`` when Ollama is unavailable for longer than ``BackfillOptions/outageTimeout`` or cannot
    ///   embed at all, ``StorageError``, `CancellationError`. The run releases its leases in every case.
    @discardableResult
    func drain(
        _ spaces: [StoredSpace], mayWait: Bool, _ report: (Event) async throws -> Void
    ) async throws -> Tally {
        let name = WorkerName()
        do {
            let tally = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await keepLeases(of: name) }
                defer { group.cancelAll() }
                return try await run(spaces, as: name, mayWait: mayWait, report)
            }
            try await queue.giveBack(of: name)
            return tally
        } catch {
            // A separate task, since this one may be cancelled; otherwise the notes would wait for their lease to end.
            let queue = queue
            try? await Task { try await queue.giveBack(of: name) }.value
            throw error
        }
    }

    private func keepLeases(of name: WorkerName) async throws {
        while !Task.isCancelled {
            do { try await Task.sleep(for: options.lease / 3) } catch { return }
            // A busy database is tried again next time; a lost lease only means that a batch is embedded twice.
            try? await queue.renewLeases(of: name, for: options.lease)
        }
    }

    /// The state of a run.
    private struct State {
        var held = HeldNotes()
        var sizer: BatchSizer
        var throttle = BackfillThrottle()
        var outage: Outage?
        var taken = 0
        var tally = Tally()
    }

    private func run(
        _ spaces: [StoredSpace], as name: WorkerName, mayWait: Bool, _ report: (Event) async throws -> Void
    ) async throws -> Tally {
        var state = State(sizer: BatchSizer(most: options.batch))
        try await withThrowingTaskGroup(of: Step.self) { group in
            // Answers are parsed and stored while the next call runs. As many batches may wait for that as calls run.
            var calls: Set<Int> = []
            var (begun, parsing, storing) = (0, 0, 0)
            while true {
                try Task.checkCancellation()
                while calls.count < options.concurrency, parsing + storing <= options.concurrency {
                    if let pause = pause(&state, calls.count) {
                        if calls.count + parsing + storing > 0 { break }
                        try await Task.sleep(for: min(pause, .milliseconds(100)))
                        continue
                    }
                    guard try await refill(&state, spaces, as: name, report) else {
                        if calls.count + parsing + storing > 0 { break }
                        continue
                    }
                    let isPolite = state.throttle.isNeeded(now: .now)
                    let size = isPolite ? state.sizer.politeSize : state.sizer.size
                    guard let batch = state.held.next(size: size) else { break }
                    let (call, arrival) = (begun, Race<Bool>())
                    group.addTask { .called(call, try await embed(batch, arrival)) }
                    group.addTask { .arrived(call, isEarly: await arrival.value) }
                    calls.insert(call)
                    begun += 1
                }
                if !calls.isEmpty, state.outage == nil { _ = try await refill(&state, spaces, as: name, report) }
                guard calls.count + parsing + storing > 0, let step = try await group.next() else {
                    guard mayWait, try await waitForOthers(spaces, state) else { return }
                    continue
                }
                switch step {
                case .arrived(let call, let isEarly):
                    // While people ask questions, the pause after a call depends on its whole time.
                    guard isEarly, !state.throttle.isNeeded(now: .now), calls.remove(call) != nil else { continue }
                    parsing += 1
                case .called(let call, let embedded):
                    if calls.remove(call) == nil { parsing -= 1 }
                    guard embedded.outcome.outage == nil else {
                        try await take(embedded.outcome, &state, report)
                        continue
                    }
                    note(embedded.outcome, &state)
                    group.addTask { .stored(try await store(embedded, as: name)) }
                    storing += 1
                case .stored(let outcome):
                    storing -= 1
                    try await take(outcome, &state, report)
                }
            }
        }
        return state.tally
    }

    /// What a task of a run did.
    private enum Step: Sendable {
        /// The answer of a call is there.
        case arrived(Int, isEarly: Bool)
        case called(Int, EmbeddedBatch)
        case stored(BatchOutcome)
    }

    /// How long to wait before the next call; nil for not at all.
    private func pause(_ state: inout State, _ running: Int) -> Duration? {
        let now = ContinuousClock.now
        state.throttle.observe(questions(), now: now)
        // A single call tests whether an outage is over.
        if let outage = state.outage { return now < outage.until ? outage.until - now : running > 0 ? .zero : nil }
        return state.throttle.rest(now: now)
    }

    /// Leases more notes when the held texts do not fill a call.
    ///
    /// - Returns: false when Ollama does not say where a space's model runs, so that nothing may be sent yet.
    private func refill(
        _ state: inout State, _ spaces: [StoredSpace], as name: WorkerName, _ report: (Event) async throws -> Void
    ) async throws -> Bool {
        guard state.held.texts < state.sizer.size else { return true }
        for space in spaces {
            let isElsewhere: Bool
            do throws(UpstreamError) {
                isElsewhere = try await withheld.isElsewhere(space)
            } catch {
                try await failed(error, &state, report)
                return false
            }
            var wanted = state.sizer.size * 2
            if let limit = options.limit { wanted = min(wanted, limit - state.taken) }
            guard wanted > 0 else { return true }
            var claim: QueueClaim
            var isSkipped: Bool
            repeat {
                claim = try await queue.claim(
                    in: space.id, as: name, limit: wanted, maxBytes: Self.maxHeldBytes, lease: options.lease,
                    filter: options.filter)
                isSkipped = claim.items.isEmpty && !claim.isEmpty
                let hidden = isElsewhere ? try await withheld.among(claim.items) : []
                guard !hidden.isEmpty else { continue }
                // A change of the note enqueues it again.
                try await queue.remove(hidden, in: space.id, as: name)
                state.tally.withheld[space.id, default: 0] += hidden.count
                claim.items.removeAll { hidden.contains($0.note.id) }
                isSkipped = claim.items.isEmpty
            } while isSkipped
            state.taken += claim.items.count
            let items = claim.items
            let bytes = items.reduce(0) { $0 + $1.note.content.utf8.count }
            state.held.add(
                try await LargeWork.shared.run(over: bytes, for: "backfill") { items.map { HeldNote($0, of: space) } },
                of: space)
            if !claim.items.isEmpty { return true }
        }
        return true
    }

    /// Waits until a leased or postponed note may become available, at most ``lookInterval``.
    ///
    /// - Returns: false when no note is leased or postponed.
    private func waitForOthers(_ spaces: [StoredSpace], _ state: State) async throws -> Bool {
        if let limit = options.limit, state.taken >= limit { return false }
        var soonest: Duration?
        for space in spaces {
            guard let due = try await queue.nextDue(in: space.id, filter: options.filter) else { continue }
            soonest = min(soonest ?? due, due)
        }
        guard let soonest else { return false }
        try await Task.sleep(for: min(soonest, Self.lookInterval))
        try await queue.freeDeadLeases()
        return true
    }

    /// Takes what a successful call says about the upstream.
    private func note(_ outcome: BatchOutcome, _ state: inout State) {
        state.outage = nil
        if outcome.calls == 1 { state.sizer.succeeded(texts: outcome.texts, in: outcome.elapsed) }
        state.throttle.called(for: outcome.elapsed, now: .now)
    }

    /// Begins or prolongs a pause after an error of Ollama.
    ///
    /// - Throws: The error, when waiting does not help.
    private func failed(
        _ error: UpstreamError, _ state: inout State, _ report: (Event) async throws -> Void
    ) async throws {
        let now = ContinuousClock.now
        guard error.isOutage else { throw error }
        if state.outage == nil {
            state.outage = Outage(error, now: now)
        } else {
            state.outage?.failed(error, now: now)
        }
        if let outage = state.outage, outage.exceeds(options.outageTimeout, now: now) { throw error }
        logger.notice("Ollama is unavailable or busy; waiting", metadata: ["reason": "\(error)"])
        state.sizer.failed()
        try await report(.paused(error.message))
    }

    private func take(
        _ outcome: BatchOutcome, _ state: inout State, _ report: (Event) async throws -> Void
    ) async throws {
        if let error = outcome.outage {
            state.held.giveBack(outcome.batch)
            return try await failed(error, &state, report)
        }
        let space = outcome.batch.space.id
        state.tally.embedded[space, default: 0] += outcome.embedded
        state.tally.bytes += outcome.bytes
        state.tally.busy += outcome.elapsed / options.concurrency
        try await report(.stored(space, outcome.embedded, failed: outcome.failed))
    }
}
