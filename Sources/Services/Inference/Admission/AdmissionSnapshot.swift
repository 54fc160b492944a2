/// How an admission stands at one moment.
public struct AdmissionSnapshot: Sendable, Hashable {
    /// Requests that the upstream has.
    public var inFlight: Int
    /// Requests that wait, by priority.
    public var waiting: [AdmissionPriority: Int]
    /// Identities of which some request waits, by priority.
    public var waitingIdentities: [AdmissionPriority: Int]
    /// The mean time that a place was held lately, in seconds; nil before the first was given back.
    public var meanServiceSeconds: Double?
    /// What happened so far.
    public var statistics: AdmissionStatistics
}

/// What an admission did since it was made.
public struct AdmissionStatistics: Sendable, Hashable {
    /// Requests that got a place, by priority.
    public var granted: [AdmissionPriority: Int] = [:]
    /// Requests that were turned away because too many waited.
    public var refused: [AdmissionPriority: Int] = [:]
    /// Requests that went away while they waited.
    public var cancelled: [AdmissionPriority: Int] = [:]
    /// How long those that got a place had waited; those that did not have to count with 0.
    public var waits = WaitHistogram()
}

/// Waiting times in buckets, as a Prometheus histogram wants them.
public struct WaitHistogram: Sendable, Hashable {
    /// The upper bounds of the buckets in seconds; the last bucket has none.
    public static let bounds: [Double] = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// Waits in each bucket by itself, one more than ``bounds``.
    public private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// All waits together, in seconds.
    public private(set) var sum = 0.0
    /// How many waits there were.
    public private(set) var count = 0

    /// Adds a wait.
    mutating func record(_ wait: Duration) {
        let seconds = max(0, wait.inSeconds)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
        count += 1
    }
}
