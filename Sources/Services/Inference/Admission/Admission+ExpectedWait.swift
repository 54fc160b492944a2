extension Admission {
    /// The expected wait of a new request, in seconds, 1 to 60, for `Retry-After`.
    ///
    /// The requests that wait now, and one more if no place is free, times the recent mean service time (one second
    /// before the first), divided by the places.
    package var expectedWaitSeconds: Int {
        let now = snapshot
        let waiting = now.waiting.values.reduce(0, +) + (now.inFlight < limits.maxInFlight ? 0 : 1)
        let expected = Double(waiting) * (now.meanServiceSeconds ?? 1) / Double(limits.maxInFlight)
        return Int(min(60, max(1, expected.rounded(.up))))
    }
}
