/// The state of an admission at one moment.
package struct AdmissionSnapshot: Sendable, Hashable {
    /// Requests in flight.
    package var inFlight: Int
    /// Waiting requests, by priority.
    package var waiting: [AdmissionPriority: Int]
    /// Identities with a waiting request, by priority.
    package var waitingIdentities: [AdmissionPriority: Int]
    /// The moving average of the service time, in seconds; nil before the first release.
    package var meanServiceSeconds: Double?
    /// Counts since the admission was created.
    package var statistics: AdmissionStatistics
}

/// Counts of an admission since it was created.
package struct AdmissionStatistics: Sendable, Hashable {
    /// Requests that got a place, by priority.
    package var granted: [AdmissionPriority: Int] = [:]
    /// Requests refused because too many waited, by priority.
    package var refused: [AdmissionPriority: Int] = [:]
    /// Requests cancelled while they waited, by priority.
    package var cancelled: [AdmissionPriority: Int] = [:]
    /// The waits of granted requests; an immediate grant counts as 0.
    package var waits = WaitHistogram()
}

/// A histogram of waits, for Prometheus.
package struct WaitHistogram: Sendable, Hashable {
    /// The upper bounds of the buckets in seconds; one more bucket has no bound.
    package static let bounds: [Double] = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60]
    /// The count of each bucket, not cumulative; one more than ``bounds``.
    package private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all waits, in seconds.
    package private(set) var sum = 0.0
    /// The number of waits.
    package private(set) var count = 0

    /// Adds a wait.
    mutating func record(_ wait: Duration) {
        let seconds = max(0, wait.inSeconds)
        counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        sum += seconds
        count += 1
    }
}
