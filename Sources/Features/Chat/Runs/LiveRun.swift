import ChatRoom
import ChatRun
import GatewayAPI
import Inference
import Logging
import Machine
import Prompts
import Storage

/// One run in this process: carries out what its state machine decides, and keeps its log for readers.
///
/// Inputs arrive from the search, the model, the tools, the database and clients; each is handled here, one at a time.
actor LiveRun {
    nonisolated let basis: RunBasis
    nonisolated let client: RunClient
    /// What readers had before the run was continued.
    nonisolated let earlier: RunBeginning
    /// The run's row as the next store writes it; only the text is in the feed.
    var row: StoredChatRun
    private var machine: RunStateMachine
    var feed: RunFeed
    var prompt = RunPrompt()
    var output: ModelOutput
    var verdicts = RunVerdicts()
    /// The calls with which the run ended, for the program behind it.
    var handedOver: [ChatCall] = []
    private var work: Task<Void, Never>?

    /// Creates a run in the queue, or one that continues after an interruption.
    init(_ stored: StoredChatRun, _ basis: RunBasis, _ client: RunClient) {
        (row, self.basis, self.client) = (stored, basis, client)
        earlier = RunBeginning(bytes: stored.text.utf8.count, tokens: stored.record.usage)
        var limits = RunStateMachine.Limits()
        limits.unread = basis.engine.settings.unreadTimeout
        if stored.life > 0 {
            machine = RunStateMachine(interruptedWithText: !stored.text.isEmpty, limits: limits)
            feed = RunFeed(
                RunLog(
                    text: stored.text, events: StoredEvents.of(stored.record, textBytes: stored.text.utf8.count),
                    life: stored.life), keepsThoughts: client.showsThoughts)
        } else {
            machine = RunStateMachine(place: 1, at: .zero, limits: limits)
            feed = RunFeed(RunLog(), keepsThoughts: client.showsThoughts)
        }
        output = ModelOutput(after: feed.log.text)
    }

    /// Starts the work.
    func begin() {
        if row.life > 0 {
            handle(.continueRun)
        } else {
            announce(machine.phase)
            startWork { await self.open() }
        }
    }

    /// Handles an input: decides, and carries out the actions.
    ///
    /// - Parameter piece: The text that the state machine decides about.
    func handle(_ input: RunInput, _ piece: String = "") {
        for action in machine.handle(input, at: basis.age) { perform(action, piece) }
    }

    /// Sends the time to the state machine and comments to readers without news.
    func tick() {
        if let deadline = machine.deadline, deadline <= basis.age { handle(.tick) }
        feed.readers.wake(waitingFor: ChatLimits.keepAlive)
    }

    private func perform(_ action: RunAction, _ piece: String) {
        switch action {
        case .announce(let phase): announce(phase)
        case .enqueue: startWork { await self.open() }
        case .search: startWork { await self.search() }
        case .askModel(let offersTools): startWork { await self.converse(offersTools: offersTools) }
        case .appendText: if !feed.append(piece) { handle(.textFull) }
        case .runTools: startWork { await self.runTools() }
        case .cancelWork: work?.cancel()
        case .store: store()
        case .finish(let outcome, let isStored): finish(outcome, isStored: isStored)
        case .release:
            basis.engine.metrics.ended(
                EndedRun(
                    kind: basis.options.chatKind.rawValue, state: machine.phase.word, record: row.record,
                    isContinued: row.life > 0))
            basis.onRelease()
        }
    }

    /// Starts the next step; steps follow each other, so the one before has ended or is about to.
    private func startWork(_ step: @escaping @Sendable () async -> Void) {
        work = Task { await step() }
    }

    // MARK: The log

    private func announce(_ phase: RunPhase) {
        feed.append(RunEvent(.state, StateJSON.of(phase)))
    }

    /// Hands a piece of text to the state machine, which drops it after the end.
    func write(_ text: String) {
        guard !text.isEmpty else { return }
        if !feed.hasText { row.record.timingsMilliseconds["first_token"] = basis.age.milliseconds }
        handle(.wrote, text)
    }

    /// How the run ended; nil while it goes on.
    var outcome: RunOutcome? { machine.outcome }

    private func finish(_ outcome: RunOutcome, isStored: Bool) {
        var members: [String: JSONValue] = ["state": .string(outcome.word), "is_stored": .bool(isStored)]
        if let message = row.message { members["message"] = .integer(message) }
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
        feed.append(RunEvent(kind, .object(members)))
    }

    // MARK: The database

    private func store() {
        row.record.timingsMilliseconds["total"] = basis.age.milliseconds
        Task { await self.storeNow() }
    }

    private func storeNow() async {
        await checkCitations()
        let isLast = machine.outcome != nil
        var progress = ChatRunProgress(
            state: ChatRun.State(rawValue: machine.phase.word) ?? .answering, text: feed.log.text,
            record: row.record)
        switch machine.outcome {
        case .failed(let reason)?: progress.error = reason
        case .stopped(let reason)?: progress.stopReason = reason.rawValue
        default: break
        }
        let runs = basis.engine.answers
        do {
            if isLast {
                row.message = try await runs.end(basis.id, progress, as: basis.worker)
                noteComputed()
                await requestSummary()
            } else if try await !runs.update(basis.id, progress, as: basis.worker) {
                // Its session was deleted.
                handle(.stored)
                return handle(.stop)
            }
            handle(.stored)
        } catch {
            basis.engine.logger.warning(
                "a run cannot be stored", metadata: ["run": "\(basis.id)", "error": "\(error)"])
            handle(.storeFailed)
        }
    }

    /// Notes that the model's server has the conversation up to the answer.
    private func noteComputed() {
        guard case .done? = machine.outcome, let message = row.message,
            let requests = basis.model.provider.prefill?.requests
        else { return }
        basis.engine.prefills.note(
            .init(subject: .session(basis.session), message: message, model: basis.modelName, requests: requests))
    }

    /// Requests a summary of messages that the prompt left out. A failed run may have failed for the same reason.
    private func requestSummary() async {
        let compressions = basis.engine.compressions
        guard let message = prompt.compressThrough, compressions.isAutomatic else { return }
        prompt.compressThrough = nil
        switch machine.outcome {
        case .done?, .stopped?: break
        case .failed?, .interrupted?, nil: return
        }
        do {
            _ = try await compressions.request(
                basis.session, through: message, model: basis.modelName, key: basis.owner.key, promptly: false)
        } catch {
            basis.engine.logger.warning(
                "a summary cannot be requested", metadata: ["session": "\(basis.session)", "error": "\(error)"])
        }
    }

    /// Checks the citations of the text so far, and sends the verdicts that are new.
    func checkCitations() async {
        let isLast = machine.outcome != nil
        guard !citable.isEmpty, verdicts.isDue(bytes: feed.log.utf8.count, isWhole: isLast) else { return }
        let check = await check(of: feed.log.text, isWhole: isLast)
        let news = row.record.take(check, withdrawing: verdicts.withdrawn)
        if !news.citations.isEmpty || !news.sentences.isEmpty { send(news.citations, news.sentences) }
    }

    /// The check of the text so far. Each sentence is checked once.
    ///
    /// - Parameter isWhole: Whether no text follows.
    func check(of text: String, isWhole: Bool) async -> AnswerCheck {
        let passages = citable
        let check = await AnswerCheck.advanced(
            verdicts.check(of: passages), of: passages, to: text, isWhole: isWhole)
        verdicts.check = check
        return check
    }

    /// The passages that the model has: those found for the question, then those of earlier questions, the newest first.
    var citable: [ChatPassage] {
        let kept = Set(prompt.kept.map(\.number))
        return row.record.passages.filter { !kept.contains($0.number) } + prompt.kept.reversed()
    }

    /// Sends verdicts to readers, after the passages of earlier questions that they name.
    func send(_ citations: [ChatCitation], _ sentences: [ChatSentence]) {
        let named = Set(
            citations.flatMap { [$0.number] + ($0.belongsTo.map { [$0] } ?? []) } + sentences.compactMap(\.support))
        let known = Set(row.record.passages.map(\.number))
        let cited = prompt.kept.filter { named.contains($0.number) && !known.contains($0.number) }.map { passage in
            var passage = passage
            passage.source = ChatPassage.conversation
            return passage
        }
        if !cited.isEmpty {
            row.record.passages += cited
            feed.append(.init(.passages, encoding: PassagesEvent(passages: cited)))
        }
        feed.append(.init(.citation, encoding: VerdictsEvent(citations: citations, sentences: sentences)))
    }

    // MARK: Clients

    /// The run as clients see it.
    var snapshot: ChatRun {
        var run = ChatRun(row, options: basis.options)
        run.state = ChatRun.State(rawValue: machine.phase.word) ?? run.state
        // As in the events: done once the last citations are checked.
        if case .done? = machine.outcome, !feed.log.hasEnded { run.state = .answering }
        run.progress = machine.phase.progress
        run.place = machine.phase.place
        run.text = feed.log.text
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
        let reader = feed.readers.add()
        handle(.readers(feed.readers.count))
        return (reader, feed.log.attach(lastEventID: lastEventID))
    }

    /// Returns what a reader lacks; waits until there is something, or for ``ChatLimits/keepAlive``.
    func read(_ reader: UInt64, after position: RunPosition) async -> RunRead {
        await waitForFrames(reader, after: position)
        return feed.log.read(after: position)
    }

    /// Lets a reader wait that lacks nothing.
    func waitForFrames(_ reader: UInt64, after position: RunPosition) async {
        guard feed.log.end == position, !feed.log.hasEnded else { return }
        await withCheckedContinuation { feed.readers.wait(reader, $0) }
    }

    /// Whether a reader is attached.
    func has(_ reader: UInt64) -> Bool { feed.readers.has(reader) }

    /// Detaches a reader and wakes it.
    func detach(_ reader: UInt64) {
        feed.readers.remove(reader)
        handle(.readers(feed.readers.count))
    }
}
