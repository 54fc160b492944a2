import ChatRun
import Citations
import GatewayAPI
import Inference
import Logging
import Machine
import Prompts
import Storage
import Tools

/// One run in this process: carries out what its state machine decides, and keeps its log for readers.
///
/// Inputs arrive from the search, the model, the tools, the database and clients; each is handled here, one at a time.
actor LiveRun {
    /// The run's id.
    nonisolated let id: String
    /// The run's session.
    nonisolated let session: String
    nonisolated let engine: ChatEngine
    nonisolated let owner: RunOwner
    nonisolated let options: RunPlan.Options
    nonisolated let worker: WorkerName
    nonisolated let started = ContinuousClock.now
    nonisolated let question: String
    nonisolated let modelName: String
    /// Called once, when the run needs no more work.
    private let onRelease: @Sendable () -> Void

    private var machine: RunStateMachine
    private var log: RunLog
    var record: ChatRecord
    private(set) var stored: StoredChatRun
    /// What the model has been told; empty before its first request.
    var turns: [ChatTurn] = []
    /// The current turn of the model.
    var turn = ModelTurn(toolNames: [])
    var reader: ToolCallReader
    var filter = CitationFilter()
    nonisolated let fence: String
    /// The messages before the question, oldest first.
    var history: ArraySlice<Message> = []
    /// The summary of the beginning of the history.
    var summary: HistorySummary?
    /// The messages and the summary that the provider must not get.
    var withheld: [ChatLeftOut] = []
    /// The last message that a summary should cover, because the prompt left messages out; nil for none.
    var compressThrough: Int64?
    /// The passages that the search found, before those that fit are numbered.
    var candidates: [ChatPassage] = []
    /// What the model can do. Until that is known, nothing private is used.
    var capabilities = ChatCapabilities(tools: false, thinking: false, isRemote: true)
    /// The size of the model's context in tokens.
    var context: Int?
    /// The text of the first request, until its tokens were counted.
    var promptText: String?
    /// The ranges of sentences that lost their support to a second opinion.
    var withdrawn: Set<[Int]> = []
    /// Whether the next text begins a new turn of the model.
    var separatesTurns = false
    /// The piece of text that the state machine decides about.
    private var pending = ""
    private var work: Task<Void, Never>?
    /// The citations of the text so far; nil before the first check.
    private var check: AnswerCheck?
    /// The length of the text when its citations were checked last, and whether it was whole.
    private var checked: (bytes: Int, isWhole: Bool) = (-1, false)
    private var readers = RunReaders()

    /// Creates a run in the queue, or one that continues after an interruption.
    init(
        _ stored: StoredChatRun, options: RunPlan.Options, owner: RunOwner, engine: ChatEngine, worker: WorkerName,
        onRelease: @escaping @Sendable () -> Void
    ) {
        (id, session, question, modelName) = (stored.id, stored.session, stored.question, stored.model)
        (self.stored, self.options, self.owner, self.engine, self.worker) = (stored, options, owner, engine, worker)
        self.onRelease = onRelease
        record = stored.record
        fence = "=====" + String(UInt64.random(in: .min ... .max), radix: 36) + "====="
        var limits = RunStateMachine.Limits()
        limits.unread = engine.settings.unreadTimeout
        if stored.life > 0 {
            machine = RunStateMachine(interruptedWithText: !stored.text.isEmpty, limits: limits)
            log = RunLog(
                text: stored.text, events: StoredEvents.of(stored.record, textBytes: stored.text.utf8.count),
                life: stored.life)
            _ = filter.push(stored.text.utf8)
        } else {
            machine = RunStateMachine(place: 1, at: .zero, limits: limits)
            log = RunLog()
        }
        let scopes = ToolCaller(key: owner.name, scopes: owner.scopes)
        let subject: Tool.Subject = options.chatKind.needsBook ? .books : .notes
        reader = ToolCallReader(
            tools: options.tools ? engine.tools.offered(to: scopes, writing: false, about: subject) : .none)
    }

    private var now: Duration { ContinuousClock.now - started }

    /// Starts the work.
    func begin() {
        if stored.life > 0 {
            handle(.continueRun)
        } else {
            announce(machine.phase)
            startWork { await self.open() }
        }
    }

    /// Handles an input: decides, and carries out the actions.
    func handle(_ input: RunInput) {
        for action in machine.handle(input, at: now) { perform(action) }
    }

    /// Sends the time to the state machine and comments to readers without news.
    func tick() {
        if let deadline = machine.deadline, deadline <= now { handle(.tick) }
        readers.wake(waitingFor: ChatLimits.keepAlive)
    }

    /// Whether the run has ended, with all of its text stored or given up.
    private(set) var isReleased = false

    private func perform(_ action: RunAction) {
        switch action {
        case .announce(let phase): announce(phase)
        case .enqueue: startWork { await self.open() }
        case .search: startWork { await self.search() }
        case .askModel(let offersTools): startWork { await self.converse(offersTools: offersTools) }
        case .appendText: appendPending()
        case .runTools: startWork { await self.runTools() }
        case .cancelWork: work?.cancel()
        case .store: store()
        case .finish(let outcome, let isStored): finish(outcome, isStored: isStored)
        case .release:
            isReleased = true
            engine.observer.ended(
                EndedRun(
                    kind: options.chatKind.rawValue, state: machine.phase.word, record: record,
                    isContinued: stored.life > 0))
            onRelease()
        }
    }

    /// Starts the next step; steps follow each other, so the one before has ended or is about to.
    private func startWork(_ step: @escaping @Sendable () async -> Void) {
        work = Task { await step() }
    }

    // MARK: The log

    private func announce(_ phase: RunPhase) {
        append(RunEvent(.state, StateJSON.of(phase)))
    }

    /// Appends an event for readers.
    func append(_ event: RunEvent) {
        log.append(event)
        readers.wakeAll()
    }

    /// Hands a piece of text to the state machine, which drops it after the end.
    func write(_ text: String) {
        guard !text.isEmpty else { return }
        pending = text
        if log.utf8.isEmpty { record.timingsMilliseconds["first_token"] = now.milliseconds }
        handle(.wrote)
        pending = ""
    }

    private func appendPending() {
        let isKept = log.append(pending)
        readers.wakeAll()
        if !isKept { handle(.textFull) }
    }

    /// The text so far.
    var text: String { log.text }
    var hasText: Bool { !log.utf8.isEmpty }
    /// How the run ended; nil while it goes on.
    var outcome: RunOutcome? { machine.outcome }

    /// Whether readers know the end.
    private var isOver = false

    private func finish(_ outcome: RunOutcome, isStored: Bool) {
        isOver = true
        var members: [String: JSONValue] = ["state": .string(outcome.word), "is_stored": .bool(isStored)]
        if let message = stored.message { members["message"] = .integer(message) }
        let kind: RunEvent.Kind
        switch outcome {
        case .failed(let reason):
            members["error"] = .string(reason)
            kind = .failed
        case .stopped(let reason):
            members["stop_reason"] = .string(reason.rawValue)
            kind = .done
        case .done, .interrupted: kind = .done
        }
        append(RunEvent(kind, .object(members)))
    }

    // MARK: The database

    private func store() {
        record.timingsMilliseconds["total"] = now.milliseconds
        Task { await self.storeNow() }
    }

    private func storeNow() async {
        await checkCitations()
        let isLast = machine.outcome != nil
        var progress = ChatRunProgress(
            state: ChatRun.State(rawValue: machine.phase.word) ?? .answering, text: text, record: record)
        switch machine.outcome {
        case .failed(let reason)?: progress.error = reason
        case .stopped(let reason)?: progress.stopReason = reason.rawValue
        default: break
        }
        do {
            if isLast {
                stored.message = try await engine.chats.runs.end(id, progress, as: worker)
                await requestSummary()
            } else if try await !engine.chats.runs.update(id, progress, as: worker) {
                // Its session was deleted.
                handle(.stored)
                return handle(.stop)
            }
            handle(.stored)
        } catch {
            engine.logger.warning("a run cannot be stored", metadata: ["run": "\(id)", "error": "\(error)"])
            handle(.storeFailed)
        }
    }

    /// Requests a summary of messages that the prompt left out. A failed run may have failed for the same reason.
    private func requestSummary() async {
        guard let message = compressThrough, engine.compressions.isAutomatic else { return }
        compressThrough = nil
        switch machine.outcome {
        case .done?, .stopped?: break
        case .failed?, .interrupted?, nil: return
        }
        do {
            _ = try await engine.compressions.request(
                session, through: message, model: modelName, key: owner.key, promptly: false)
        } catch {
            engine.logger.warning(
                "a summary cannot be requested", metadata: ["session": "\(session)", "error": "\(error)"])
        }
    }

    /// Checks the citations of the text so far, and sends the verdicts that are new.
    func checkCitations() async {
        let isLast = machine.outcome != nil
        guard !record.passages.isEmpty, checked != (log.utf8.count, isLast) else { return }
        checked = (log.utf8.count, isLast)
        let supported = await verdicts(on: text, isWhole: isLast).supported(by: record.citations.filter(\.isAdded))
        let found = AnswerCheck.withdrawing(withdrawn, from: supported.citations, supported.sentences)
        let citations = found.citations.filter { !record.citations.contains($0) }
        let sentences = found.sentences.filter { !record.sentences.contains($0) }
        guard !citations.isEmpty || !sentences.isEmpty else { return }
        record.citations = found.citations
        record.sentences = found.sentences
        send(citations, sentences)
    }

    /// The check of the text so far. Each sentence is checked once.
    ///
    /// - Parameter isWhole: Whether no text follows.
    func verdicts(on text: String, isWhole: Bool) async -> AnswerCheck {
        // New passages may change the verdicts on earlier sentences.
        let known = check.flatMap { $0.passages == record.passages ? $0 : nil }
        let advanced = await AnswerCheck.advanced(known, of: record.passages, to: text, isWhole: isWhole)
        check = advanced
        return advanced
    }

    /// Sends verdicts to readers.
    func send(_ citations: [ChatCitation], _ sentences: [ChatSentence]) {
        append(.init(.citation, encoding: VerdictsEvent(citations: citations, sentences: sentences)))
    }

    // MARK: Clients

    /// The run as clients see it.
    var snapshot: ChatRun {
        var run = ChatRun(stored, options: options)
        run.state = ChatRun.State(rawValue: machine.phase.word) ?? run.state
        // As in the events: done once the last citations are checked.
        if case .done? = machine.outcome, !isOver { run.state = .answering }
        run.progress = machine.phase.progress
        run.place = machine.phase.place
        run.text = text
        run.record = record
        switch machine.outcome {
        case .failed(let reason)?: run.error = reason
        case .stopped(let reason)?: run.stopReason = reason.rawValue
        default: break
        }
        return run
    }

    /// Stops the run; does nothing after its end.
    func stop() { handle(.stop) }

    /// Ends the run because the gateway shuts down.
    func interrupt() { handle(.interrupt) }

    /// Attaches a reader.
    ///
    /// - Returns: The reader's number and what it lacks.
    func attach(lastEventID: String?) -> (reader: UInt64, read: RunRead) {
        let reader = readers.add()
        handle(.readers(readers.count))
        return (reader, log.attach(lastEventID: lastEventID))
    }

    /// Returns what a reader lacks; waits until there is something, or for ``ChatLimits/keepAlive``.
    func read(_ reader: UInt64, after position: RunPosition) async -> RunRead {
        let read = log.read(after: position)
        guard read.frames.isEmpty, !read.isComplete else { return read }
        await withCheckedContinuation { readers.wait(reader, $0) }
        return log.read(after: position)
    }

    /// Whether a reader is attached.
    func has(_ reader: UInt64) -> Bool { readers.has(reader) }

    /// Detaches a reader and wakes it.
    func detach(_ reader: UInt64) {
        readers.remove(reader)
        handle(.readers(readers.count))
    }
}
