extension Admission {
    /// When a try is likely to find a place, in seconds, 1 to 60: as long as those who wait now take, and one more, by the
    /// mean time that places were held lately. Before anything was served a service counts as a second.
    package var expectedWaitSeconds: Int {
        let now = snapshot
        let waiting = now.waiting.values.reduce(0, +) + (now.inFlight < limits.maxInFlight ? 0 : 1)
        let expected = Double(waiting) * (now.meanServiceSeconds ?? 1) / Double(limits.maxInFlight)
        return Int(min(60, max(1, expected.rounded(.up))))
    }
}
