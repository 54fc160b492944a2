/// Schedules the stores of a run: one at a time, at most a second after a change, and once at the end.
struct StoreSchedule: Sendable {
    /// The maximum time between a change and its store, and the time between a failed store and the next.
    static let interval = Duration.seconds(1)
    /// The number of failures of the last store after which the run is given up.
    static let attemptLimit = 60

    /// Whether a store is in progress.
    private(set) var isStoring = false
    /// Whether the current store began after the end of the run.
    private var isLastStore = false
    private var hasEnded = false
    private var failures = 0
    /// When the next store is due; nil without changes.
    private(set) var due: Duration?

    /// The meaning of a finished store for the run.
    enum Result {
        /// More stores follow.
        case partial
        /// Everything is stored.
        case last
        /// The last store failed and is retried.
        case lastFailed
        /// The last store failed too often.
        case givenUp
    }

    /// Records a change.
    mutating func change(at now: Duration) {
        if due == nil { due = now + Self.interval }
    }

    /// Records the end of the run; the last store is due now.
    mutating func end(at now: Duration) {
        hasEnded = true
        due = now
    }

    /// Begins a store if one is due. Returns whether it began.
    mutating func begin(at now: Duration) -> Bool {
        guard !isStoring, let due, due <= now else { return false }
        isStoring = true
        isLastStore = hasEnded
        self.due = nil
        return true
    }

    /// Records the end of a store. Nil when no store was in progress.
    mutating func finish(successfully: Bool, at now: Duration) -> Result? {
        guard isStoring else { return nil }
        isStoring = false
        if successfully { return isLastStore ? .last : .partial }
        failures += isLastStore ? 1 : 0
        guard failures < Self.attemptLimit else { return .givenUp }
        // A failed store is retried after the same interval as a new change.
        if due == nil { due = now + Self.interval }
        return isLastStore ? .lastFailed : .partial
    }
}
