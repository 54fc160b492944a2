import Synchronization

/// What a prompt may be computed for before its question comes.
enum PrefillSubject: Sendable, Hashable {
    /// The next question of a session.
    case session(String)
    /// The first question about a book at a reading position, for the model with a full name.
    case book(Int64, position: Int?, model: String)
}

/// The conversation whose next prompt is to be computed before its question comes, and what was computed last.
///
/// A model's server has room for few prompts, so the newest wish replaces all others. Thread-safe.
final class Prefills: Sendable {
    /// Whether prompts are computed ahead.
    let isOn: Bool
    /// Yields after each wish.
    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    /// Somebody has opened a conversation, or turned a page.
    struct Wish: Sendable {
        let subject: PrefillSubject
        /// Who did.
        let owner: RunOwner
        /// Whether they may use a model now, by its full name.
        let mayUse: @Sendable (_ model: String) async -> Bool
        let at = ContinuousClock.now
    }

    /// The prompt that a model's server computed last.
    struct Computed: Sendable, Hashable {
        var subject: PrefillSubject
        /// The last message that the server has seen; nil for the first question.
        var message: Int64?
        /// The full name of the model.
        var model: String
        /// ``PromptPrefill/requests`` at its end.
        var requests: UInt64
    }

    private struct Current {
        var subject: PrefillSubject
        var isWanted = true
        var isCancelled = false
        var cancel: (@Sendable () -> Void)?
    }

    private struct State {
        var wish: Wish?
        var current: Current?
        var computed: Computed?
        var starts = StartLimit()

        mutating func cancelCurrent() {
            current?.isWanted = false
            current?.isCancelled = true
        }
    }

    init(isOn: Bool) {
        self.isOn = isOn
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Replaces the wish, and cancels what is computed for another conversation.
    func wish(_ wish: Wish) {
        guard isOn else { return }
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            if let current = state.current, current.isWanted {
                guard current.subject != wish.subject else { return nil }
                state.cancelCurrent()
            }
            state.wish = wish
            return state.current?.cancel
        }
        cancel?()
        wake.yield()
    }

    /// Takes the wish, which is then in progress until ``ended()``; nil when there is none.
    func take() -> Wish? {
        state.withLock { state in
            guard let wish = state.wish else { return nil }
            (state.wish, state.current) = (nil, Current(subject: wish.subject))
            return wish
        }
    }

    /// Says how what is in progress is cancelled; cancels it if that was wanted before.
    func began(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.current?.cancel = cancel
            return state.current?.isCancelled == true
        }
        if isLate { cancel() }
    }

    /// Nothing is in progress any more.
    func ended() { state.withLock { $0.current = nil } }

    /// Whether what is in progress should be tried again after an interruption.
    var isWanted: Bool { state.withLock { $0.current?.isWanted == true } }

    /// Drops the wish for a session, and for a book of a new one, because the question is there. What is in progress ends with the
    /// question's first request.
    func leave(_ session: String?, books: [Int64] = []) {
        func isLeft(_ subject: PrefillSubject?) -> Bool {
            switch subject {
            case .session(let name)?: name == session
            case .book(let id, _, _)?: books.contains(id)
            case nil: false
            }
        }
        state.withLock { state in
            if isLeft(state.wish?.subject) { state.wish = nil }
            if isLeft(state.current?.subject) { state.current?.isWanted = false }
        }
    }

    /// Forgets a session, because it was deleted.
    func forget(_ session: String) {
        leave(session)
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            if state.computed?.subject == .session(session) { state.computed = nil }
            guard state.current?.subject == .session(session) else { return nil }
            state.cancelCurrent()
            return state.current?.cancel
        }
        cancel?()
    }

    /// Notes what a model's server has computed.
    func note(_ computed: Computed) { state.withLock { $0.computed = computed } }

    /// Whether a model's server has a prompt, as far as is known.
    func has(_ prompt: Computed) -> Bool { state.withLock { $0.computed == prompt } }

    /// Whether another prompt may be computed for a caller now; counts it.
    func mayStart(for name: String) -> Bool {
        state.withLock { $0.starts.take(name, at: .now) }
    }
}

/// Limits how many prompts are computed ahead for a caller. Pure.
struct StartLimit: Sendable {
    /// The prompts of a caller within ``window``.
    static let most = 6
    static let window = Duration.seconds(60)
    /// The callers that are counted. Beyond that nothing is computed.
    static let callers = 256
    private var starts: [String: [ContinuousClock.Instant]] = [:]

    /// Counts a prompt unless there were too many. Returns whether it was counted.
    mutating func take(_ name: String, at now: ContinuousClock.Instant) -> Bool {
        starts = starts.compactMapValues { times in
            let recent = times.filter { now - $0 < Self.window }
            return recent.isEmpty ? nil : recent
        }
        guard starts[name] != nil || starts.count < Self.callers, starts[name, default: []].count < Self.most else {
            return false
        }
        starts[name, default: []].append(now)
        return true
    }
}
