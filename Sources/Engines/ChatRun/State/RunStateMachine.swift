/// Decides the steps of one run: an input comes in, actions go out. It has no clock and does no I/O.
///
/// Times are durations since any fixed moment and never decrease. After the end only stores matter. Late inputs, such
/// as a stop that races with the end, change nothing.
package struct RunStateMachine: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The maximum number of tool rounds; the request after the last round offers no tools.
        package var rounds = 3
        /// The time after which a run without readers is stopped.
        package var unread = Duration.seconds(600)

        /// Creates the limits of a chat.
        package init() {}
    }

    /// The current phase.
    package private(set) var phase: RunPhase
    private let limits: Limits
    /// The number of tool rounds so far.
    private var rounds = 0
    private var hasText: Bool
    private var schedule = StoreSchedule()
    /// Whether `done` or `failed` was appended.
    private var isFinished = false
    /// Since when the run has no readers; nil while it has some.
    private var unreadSince: Duration?

    /// Creates a new run in the queue.
    package init(place: Int, at now: Duration, limits: Limits = Limits()) {
        phase = .queued(place: place)
        self.limits = limits
        hasText = false
        unreadSince = now
        schedule.change(at: now)
    }

    /// Creates a run that the gateway interrupted. ``RunInput/continueRun`` starts it again.
    package init(interruptedWithText hasText: Bool, limits: Limits = Limits()) {
        phase = .ended(.interrupted)
        self.limits = limits
        self.hasText = hasText
        isFinished = true
    }

    /// The outcome of the run; nil while it continues.
    package var outcome: RunOutcome? { if case .ended(let outcome) = phase { outcome } else { nil } }

    /// When to send the next ``RunInput/tick``; nil for none.
    package var deadline: Duration? {
        let store = schedule.isStoring ? nil : schedule.due
        guard outcome == nil, let unreadSince else { return store }
        let unread = unreadSince + limits.unread
        return store.map { min($0, unread) } ?? unread
    }

    /// Handles an input. Returns the actions to carry out, in order.
    package mutating func handle(_ input: RunInput, at now: Duration) -> [RunAction] {
        var actions = outcome == nil ? running(input, at: now) : ended(input, at: now)
        if schedule.begin(at: now) { actions.append(.store) }
        return actions
    }

    // MARK: Running

    private mutating func running(_ input: RunInput, at now: Duration) -> [RunAction] {
        switch input {
        case .readers(let count):
            unreadSince = count > 0 ? nil : unreadSince ?? now
            return []
        case .tick:
            guard let unreadSince, unreadSince + limits.unread <= now else { return [] }
            return end(.stopped(.unread), at: now)
        case .stored, .storeFailed:
            _ = schedule.finish(successfully: input == .stored, at: now)
            return []
        case .stop: return end(.stopped(.asked), at: now)
        case .textFull: return end(.stopped(.length), at: now)
        case .interrupt: return end(.interrupted, at: now)
        case .failed(let reason): return end(.failed(reason), at: now)
        case .continueRun: return []
        case .moved, .admitted, .searched, .waiting, .sent, .thought, .wrote, .calledTools, .toolsFinished,
            .modelFinished:
            return progress(input, at: now)
        }
    }

    /// Handles an input of the work in progress.
    private mutating func progress(_ input: RunInput, at now: Duration) -> [RunAction] {
        switch (phase, input) {
        case (.queued(let place), .moved(let newPlace)):
            return place == newPlace ? [] : enter(.queued(place: newPlace), at: now)
        case (.queued, .admitted(searches: true)): return enter(.searching, at: now) + [.search]
        case (.queued, .admitted(searches: false)), (.searching, .searched):
            return enter(.loadingModel, at: now) + [askModel]
        case (.waiting(let place), .waiting(let newPlace)) where place == newPlace: return []
        case (.loadingModel, .waiting(let place)), (.thinking, .waiting(let place)), (.waiting, .waiting(let place)):
            return enter(.waiting(place: place), at: now)
        case (.waiting, .sent): return enter(.loadingModel, at: now)
        case (.loadingModel, .thought), (.waiting, .thought): return enter(.thinking, at: now)
        case (.loadingModel, .wrote), (.thinking, .wrote), (.waiting, .wrote):
            hasText = true
            return enter(.answering, at: now) + [.appendText]
        case (.answering, .wrote), (.toolRound, .wrote):
            hasText = true
            schedule.change(at: now)
            return [.appendText]
        case (.loadingModel, .calledTools), (.thinking, .calledTools), (.answering, .calledTools),
            (.waiting, .calledTools):
            guard rounds < limits.rounds else { return modelFinished(at: now) }
            rounds += 1
            return enter(.toolRound(rounds), at: now) + [.runTools]
        case (.toolRound, .toolsFinished): return enter(.thinking, at: now) + [askModel]
        case (.loadingModel, .modelFinished), (.thinking, .modelFinished), (.answering, .modelFinished),
            (.waiting, .modelFinished):
            return modelFinished(at: now)
        default: return []
        }
    }

    private var askModel: RunAction { .askModel(offersTools: rounds < limits.rounds) }

    private mutating func enter(_ phase: RunPhase, at now: Duration) -> [RunAction] {
        self.phase = phase
        schedule.change(at: now)
        return [.announce(phase)]
    }

    private mutating func modelFinished(at now: Duration) -> [RunAction] {
        end(hasText ? .done : .failed("the model gave no answer"), at: now)
    }

    // MARK: The end

    /// Ends the run. Readers see the end after the last store, so that the result they then load is stored.
    private mutating func end(_ outcome: RunOutcome, at now: Duration) -> [RunAction] {
        phase = .ended(outcome)
        schedule.end(at: now)
        return outcome == .done ? [] : [.cancelWork]
    }

    private mutating func ended(_ input: RunInput, at now: Duration) -> [RunAction] {
        switch input {
        case .stored, .storeFailed:
            guard let result = schedule.finish(successfully: input == .stored, at: now) else { return [] }
            switch result {
            case .partial: return []
            case .last: return finish(isStored: true) + [.release]
            case .lastFailed: return finish(isStored: false)
            case .givenUp: return finish(isStored: false) + [.release]
            }
        case .continueRun
        where phase == .ended(.interrupted) && isFinished && !schedule.isStoring && schedule.due == nil:
            isFinished = false
            rounds = 0
            unreadSince = now
            schedule = StoreSchedule()
            return enter(.queued(place: 1), at: now) + [.enqueue]
        default: return []
        }
    }

    private mutating func finish(isStored: Bool) -> [RunAction] {
        guard !isFinished, let outcome else { return [] }
        isFinished = true
        return [.finish(outcome, isStored: isStored)]
    }
}
