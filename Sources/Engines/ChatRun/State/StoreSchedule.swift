/// When a run is stored: at most one store at a time, a second after a change at the latest, and once at the end.
struct StoreSchedule: Sendable {
    /// Time between a change and its store at most, and between a failed store and the next.
    static let interval = Duration.seconds(1)
    /// Failures of the store at the end after which the run is given up.
    static let attemptLimit = 60

    /// Whether a store has begun and has not ended.
    private(set) var isStoring = false
    /// Whether the store that runs was asked for after the end.
    private var isLastStore = false
    private var hasEnded = false
    private var failures = 0
    /// When the next store is due; nil when nothing has changed.
    private(set) var due: Duration?

    /// What a store that ended means for the run.
    enum Result {
        /// Others follow.
        case partial
        /// Everything is stored.
        case last
        /// The store at the end failed; it is tried again.
        case lastFailed
        /// The store at the end failed too often.
        case givenUp
    }

    /// Something changed.
    mutating func change(at now: Duration) {
        if due == nil { due = now + Self.interval }
    }

    /// The run has ended: one more store is due now.
    mutating func end(at now: Duration) {
        hasEnded = true
        due = now
    }

    /// Whether a store begins now.
    mutating func begin(at now: Duration) -> Bool {
        guard !isStoring, let due, due <= now else { return false }
        isStoring = true
        isLastStore = hasEnded
        self.due = nil
        return true
    }

    /// A store has ended; nil when none was running.
    mutating func finish(successfully: Bool, at now: Duration) -> Result? {
        guard isStoring else { return nil }
        isStoring = false
        if successfully { return isLastStore ? .last : .partial }
        failures += isLastStore ? 1 : 0
        guard failures < Self.attemptLimit else { return .givenUp }
        // A failed store is due again after the same time as a new change.
        if due == nil { due = now + Self.interval }
        return isLastStore ? .lastFailed : .partial
    }
}
