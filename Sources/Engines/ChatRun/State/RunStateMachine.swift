/// The decisions of one run: an input comes in, actions go out. It has no clock and does nothing itself.
///
/// Times are durations since any fixed moment and never go back. After the end only stores matter; a stop that races with
/// the end changes nothing, and so does every input that comes too late.
package struct RunStateMachine: Sendable {
    /// The limits of a run.
    package struct Limits: Sendable, Hashable {
        /// Rounds of tools; the request after the last one offers none.
        package var rounds = 3
        /// How long a run goes on without readers.
        package var unread = Duration.seconds(600)

        /// The limits of a chat.
        package init() {}
    }

    /// What the run is doing.
    package private(set) var phase: RunPhase
    private let limits: Limits
    /// Rounds of tools so far.
    private var rounds = 0
    private var hasText: Bool
    private var schedule = StoreSchedule()
    /// Whether `done` or `failed` was appended.
    private var isFinished = false
    /// Since when nobody reads; nil while somebody does.
    private var unreadSince: Duration?

    /// A new run in the queue.
    package init(place: Int, at now: Duration, limits: Limits = Limits()) {
        phase = .queued(place: place)
        self.limits = limits
        hasText = false
        unreadSince = now
        schedule.change(at: now)
    }

    /// A run that the gateway left in the middle. ``RunInput/continueRun`` starts it again.
    package init(interruptedWithText hasText: Bool, limits: Limits = Limits()) {
        phase = .ended(.interrupted)
        self.limits = limits
        self.hasText = hasText
        isFinished = true
    }

    /// How the run ended; nil while it goes on.
    package var outcome: RunOutcome? { if case .ended(let outcome) = phase { outcome } else { nil } }

    /// When the next ``RunInput/tick`` is wanted; nil for none.
    package var deadline: Duration? {
        let store = schedule.isStoring ? nil : schedule.due
        guard outcome == nil, let unreadSince else { return store }
        let unread = unreadSince + limits.unread
        return store.map { min($0, unread) } ?? unread
    }

    /// Takes an input.
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
        case .moved, .admitted, .searched, .modelLoaded, .thought, .wrote, .calledTools, .toolsFinished, .modelFinished:
            return progress(input, at: now)
        }
    }

    /// What the work itself brings.
    private mutating func progress(_ input: RunInput, at now: Duration) -> [RunAction] {
        switch (phase, input) {
        case (.queued(let place), .moved(let newPlace)):
            return place == newPlace ? [] : enter(.queued(place: newPlace), at: now)
        case (.queued, .admitted(searches: true)): return enter(.searching, at: now) + [.search]
        case (.queued, .admitted(searches: false)), (.searching, .searched):
            return enter(.loadingModel, at: now) + [askModel]
        case (.loadingModel, .modelLoaded), (.loadingModel, .thought): return enter(.thinking, at: now)
        case (.loadingModel, .wrote), (.thinking, .wrote):
            hasText = true
            return enter(.answering, at: now) + [.appendText]
        case (.answering, .wrote), (.toolRound, .wrote):
            hasText = true
            schedule.change(at: now)
            return [.appendText]
        case (.loadingModel, .calledTools), (.thinking, .calledTools), (.answering, .calledTools):
            guard rounds < limits.rounds else { return modelFinished(at: now) }
            rounds += 1
            return enter(.toolRound(rounds), at: now) + [.runTools]
        case (.toolRound, .toolsFinished): return enter(.thinking, at: now) + [askModel]
        case (.loadingModel, .modelFinished), (.thinking, .modelFinished), (.answering, .modelFinished):
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

    /// Ends the run. Readers learn of it after the last store, so that what they then load is there.
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
