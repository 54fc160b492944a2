import BookRoom
import ChatRoom
import ChatRun
package import GatewayAPI
import Logging
import Machine
import Search
import ServiceLifecycle
import Storage
import Synchronization

/// Answers questions, as runs that belong to the gateway: readers come and go.
package final class ChatService: Service {
    package let engine: ChatEngine
    let worker = WorkerName()
    private let state = Mutex(State())

    private struct State {
        var runs: [String: Entry] = [:]
        /// The calls for each run that is about to begin or continue; the database may have it before ``runs`` does.
        var starting: [String: Int] = [:]
        var isStopping = false
    }

    private struct Entry {
        let run: LiveRun
        let key: Int64?
    }

    package init(_ engine: ChatEngine) { self.engine = engine }

    /// A run, and whether this call began it.
    package struct Begun: Sendable {
        package let run: ChatRun
        package let isNew: Bool
        /// The run in this process, also when it has ended since; nil for any other.
        var live: LiveRun?
    }

    /// Begins a run, or finds the one with its id.
    ///
    /// - Throws: ``ChatRefusal``, ``StorageError``.
    package func begin(_ plan: RunPlan, model: String, owner: RunOwner) async throws -> Begun {
        if let known = live(plan.id) {
            let run = await known.snapshot
            guard run.question == plan.question, plan.session.map({ $0 == run.session }) ?? true else {
                throw ChatRefusal.idInUse(plan.id)
            }
            return Begun(run: run, isNew: false, live: known)
        }
        try admit(owner.key)
        try await requireScope(of: plan)
        engine.prefills.leave(plan.session, books: plan.options.scope?.book?.values ?? [])
        let options = try await MemoryChoice(engine).resolve(plan)
        let draft = ChatRunDraft(
            id: plan.id, session: plan.session, parent: plan.parent, question: plan.question, model: model,
            request: try options.json(), key: owner.key, earlier: plan.earlier)
        let title = SessionTitle.of(plan.earlier.first(where: \.isUser)?.text ?? plan.question)
        enter(plan.id)
        defer { leave(plan.id) }
        let start = try await engine.answers.begin(draft, title: title, as: worker) {
            self.isLive($0, besides: plan.id)
        }
        switch start {
        case .begun(let stored):
            let run = launch(stored, options, owner, plan.client)
            return Begun(run: await run.snapshot, isNew: true, live: run)
        case .known(let stored):
            return Begun(run: ChatRun(stored, options: .init(stored: stored.request)), isNew: false)
        case .idInUse: throw ChatRefusal.idInUse(plan.id)
        case .busy(let other): throw ChatRefusal.busy(run: other)
        case .unknownParent: throw ChatRefusal.unknownParent
        }
    }

    /// Requires the books and threads that a new run is about. A run that was begun attaches, whatever came of them.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    private func requireScope(of plan: RunPlan) async throws {
        let books = plan.options.scope?.book?.values ?? []
        let threads = plan.options.scope?.thread?.values ?? []
        do {
            for book in books { _ = try await engine.books.find(book) }
            guard !threads.isEmpty, let unknown = try await engine.threads.unknown(among: threads).first else {
                return
            }
            throw StorageError(.notFound, "there is no thread \"\(unknown)\"")
        } catch let error as StorageError where error.code == .notFound {
            guard try await engine.answers.find(plan.id) != nil else { throw error }
        }
    }

    /// Continues an interrupted run.
    ///
    /// - Throws: ``ChatRefusal``, ``StorageError``.
    package func resume(_ id: String, owner: RunOwner, client: RunClient = RunClient()) async throws -> Begun {
        try admit(owner.key)
        enter(id)
        defer { leave(id) }
        let stored = try await engine.answers.takeOver(id, as: worker)
        engine.prefills.leave(stored.session)
        let run = launch(stored, RunPlan.Options(stored: stored.request), owner, client)
        return Begun(run: await run.snapshot, isNew: false, live: run)
    }

    /// The current state of a run.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> ChatRun {
        if let live = live(id) { return await live.snapshot }
        guard let stored = try await engine.answers.find(id) else {
            throw StorageError(.notFound, "there is no run \"\(id)\"")
        }
        // A run may have begun between the two looks.
        if let live = live(id) { return await live.snapshot }
        return ChatRun(stored, options: .init(stored: stored.request))
    }

    /// Stops a run and returns it; does nothing to one that has ended.
    ///
    /// Waits for a run of another gateway on the same database until it has stopped, or for ``ChatLimits/stopElsewhere``.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``ChatRefusal/elsewhere`` for a run of another process on the same file.
    package func stop(_ id: String) async throws -> ChatRun {
        if let live = live(id) {
            await live.stop()
            return await live.snapshot
        }
        var run = try await find(id)
        guard !run.state.isFinal else { return run }
        guard try await engine.answers.askToStop(id) else { throw ChatRefusal.elsewhere(id) }
        let deadline = ContinuousClock.now + ChatLimits.stopElsewhere
        while !run.state.isFinal, ContinuousClock.now < deadline {
            try await Task.sleep(for: ChatLimits.tick)
            run = try await find(id)
        }
        return run
    }

    /// Requests a summary of the old messages of a session's latest branch.
    ///
    /// - Returns: false when the branch has too few messages without a summary.
    /// - Throws: ``StorageError``.
    package func compress(_ session: String, model: String, key: Int64?) async throws -> Bool {
        let branch = try await engine.answers.latestBranch(of: session)
        let old = branch.dropLast(ChatLimits.keptMessages)
        let covered = try await HistorySummary.find(old, of: session, in: engine.compressions.store)?.covers ?? 0
        guard let last = old.last, old.count > covered else { return false }
        return try await engine.compressions.request(
            session, through: last.id, model: model, key: key, promptly: true)
    }

    /// Somebody has opened a session: its next prompt may be computed ahead; see ``Prefiller``.
    ///
    /// - Parameter mayUse: Whether they may use a model now, by its full name.
    package func opened(
        _ session: String, by owner: RunOwner, mayUse: @escaping @Sendable (_ model: String) async -> Bool
    ) {
        engine.prefills.wish(.init(subject: .session(session), owner: owner, mayUse: mayUse))
    }

    /// Somebody has read a book up to a position, nil for all of it: what they read may be computed ahead, for their first question.
    package func read(
        _ book: Int64, to position: Int?, model: String, by owner: RunOwner,
        mayUse: @escaping @Sendable (_ model: String) async -> Bool
    ) {
        engine.prefills.wish(
            .init(subject: .book(book, position: position, model: model), owner: owner, mayUse: mayUse))
    }

    /// A session was deleted.
    package func deleted(_ session: String) { engine.prefills.forget(session) }

    /// The run in this process; nil for any other.
    func live(_ id: String) -> LiveRun? { state.withLock { $0.runs[id]?.run } }

    /// Whether this process works on a run, or is about to.
    ///
    /// - Parameter own: The run for which this is asked: its own call does not count.
    private func isLive(_ id: String, besides own: String) -> Bool {
        state.withLock { $0.runs[id] != nil || $0.starting[id, default: 0] > (id == own ? 1 : 0) }
    }

    private func enter(_ id: String) { state.withLock { $0.starting[id, default: 0] += 1 } }

    private func leave(_ id: String) {
        state.withLock { state in
            let others = state.starting[id, default: 1] - 1
            state.starting[id] = others > 0 ? others : nil
        }
    }

    /// The number of runs in progress.
    package var running: Int { state.withLock { $0.runs.count } }

    private func admit(_ key: Int64?) throws {
        try state.withLock { state in
            guard !state.isStopping else { throw ChatRefusal.stopping }
            guard state.runs.count < ChatLimits.runs else { throw ChatRefusal.tooMany(limit: ChatLimits.runs) }
            guard let key else { return }
            let own = state.runs.values.reduce(0) { $0 + ($1.key == key ? 1 : 0) }
            guard own < ChatLimits.runsOfKey else { throw ChatRefusal.tooMany(limit: ChatLimits.runsOfKey) }
        }
    }

    private func launch(
        _ stored: StoredChatRun, _ options: RunPlan.Options, _ owner: RunOwner, _ client: RunClient
    ) -> LiveRun {
        let id = stored.id
        let basis = RunBasis(stored, options: options, owner: owner, engine: engine, worker: worker) { [weak self] in
            self?.release(id)
        }
        let run = LiveRun(stored, basis, client)
        let isStopping = state.withLock { state in
            state.runs[id] = Entry(run: run, key: owner.key)
            return state.isStopping
        }
        Task {
            await run.begin()
            if isStopping { await run.interrupt() }
        }
        return run
    }

    private func release(_ id: String) { state.withLock { $0.runs[id] = nil } }

    // MARK: Service

    /// Lets time pass for runs until shutdown, then interrupts them and waits until their text is stored.
    package func run() async throws {
        try? await engine.answers.interruptDeadRuns()
        await cancelWhenGracefulShutdown { [self] in
            // The database may be slow; the runs' deadlines do not wait for it.
            async let beats: Void = keepAlive()
            while !Task.isCancelled {
                for run in runs { await run.tick() }
                try? await Task.sleep(for: ChatLimits.tick)
            }
            await beats
        }
        state.withLock { $0.isStopping = true }
        for run in runs { await run.interrupt() }
        let deadline = ContinuousClock.now + ChatLimits.shutdown
        while ContinuousClock.now < deadline, !runs.isEmpty {
            for run in runs { await run.tick() }
            // The task is cancelled already, so a sleep of its own would return at once.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }

    /// Says from time to time that this process works on its runs, and stops those that other gateways were asked to stop.
    private func keepAlive() async {
        var renewed = ContinuousClock.now
        while !Task.isCancelled {
            if running > 0 {
                do {
                    let now = ContinuousClock.now
                    if now - renewed >= engine.answers.renewalInterval {
                        try await engine.answers.renew(worker)
                        renewed = now
                    }
                    for id in try await engine.answers.stopRequests(to: worker) { await live(id)?.stop() }
                } catch {
                    engine.logger.debug("runs cannot be kept alive now", metadata: ["error": "\(error)"])
                }
            }
            try? await Task.sleep(for: ChatLimits.beat)
        }
    }

    private var runs: [LiveRun] { state.withLock { $0.runs.values.map(\.run) } }
}

/// Why a run cannot begin, continue or stop.
package enum ChatRefusal: Error, Sendable, Hashable {
    /// A run with this id answers another question.
    case idInUse(String)
    /// This other run of the session has not ended.
    case busy(run: String)
    /// The session has no message with the given parent's id.
    case unknownParent
    /// So many runs are in progress already.
    case tooMany(limit: Int)
    /// Another process works on the run.
    case elsewhere(String)
    /// The gateway is shutting down.
    case stopping
}

/// The title of a new session.
enum SessionTitle {
    private static let maxBytes = 80

    /// The first words of a question, in one line.
    static func of(_ question: String) -> String {
        let line = question.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard line.utf8.count > maxBytes else { return line }
        var title = ""
        for word in line.split(separator: " ") {
            guard title.utf8.count + word.utf8.count < maxBytes else { break }
            title += (title.isEmpty ? "" : " ") + word
        }
        return (title.isEmpty ? String(line.prefix(20)) : title) + "…"
    }
}
