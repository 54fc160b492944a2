/// Shows progress on standard error: a bar with rate and time left on a terminal, otherwise a plain line every few
/// seconds.
struct ProgressBar {
    private let label: String
    private let unit: String
    private let started = ContinuousClock.now
    private let isInteractive: Bool
    private var drawnAt: ContinuousClock.Instant?
    private var firstDone: Int?

    /// Creates a bar, which is first drawn by ``update(done:total:failed:)``.
    init(_ label: String, unit: String, isInteractive: Bool = Terminal.isInteractive) {
        self.label = label
        self.unit = unit
        self.isInteractive = isInteractive
    }

    /// Draws the progress, at most ten times a second on a terminal and every two seconds elsewhere.
    mutating func update(done: Int, total: Int, failed: Int = 0) {
        let now = ContinuousClock.now
        let pause: Duration = isInteractive ? .milliseconds(100) : .seconds(2)
        if let drawnAt, now - drawnAt < pause, done < total { return }
        drawnAt = now
        if firstDone == nil { firstDone = done }
        let text = Self.line(
            label: label, unit: unit, done: done, total: total, failed: failed, workedOff: done - (firstDone ?? 0),
            elapsed: now - started, columns: isInteractive ? Terminal.columns : nil)
        Terminal.progress(isInteractive ? "\r\u{1B}[2K\(text)" : "\(text)\n")
    }

    /// Ends the bar's line.
    func finish() {
        if isInteractive, drawnAt != nil { Terminal.progress("\n") }
    }

    /// The text of one state. Pure, for tests.
    ///
    /// - Parameters:
    ///   - workedOff: Units done since the start, for the rate; a resumed job starts partly done.
    ///   - columns: The terminal's width; nil for a plain line without a bar.
    static func line(
        label: String, unit: String, done: Int, total: Int, failed: Int, workedOff: Int, elapsed: Duration,
        columns: Int?
    ) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let rate = seconds > 0.05 ? Double(workedOff) / seconds : 0
        let percent = total > 0 ? Int((Double(done) / Double(total) * 100).rounded(.down)) : 100
        var tail = "\(done)/\(total) \(unit)"
        if rate > 0 { tail += "  \(rate >= 10 ? String(Int(rate.rounded())) : oneDigit(rate)) \(unit)/s" }
        if rate > 0, done < total { tail += "  ETA \(clock(Double(total - done) / rate))" }
        if failed > 0 { tail += "  \(failed) failed" }
        let number = String(repeating: " ", count: max(0, 3 - String(percent).count)) + "\(percent)%"
        guard let columns else { return "\(label) \(number)  \(tail)" }
        let width = min(30, columns - label.count - number.count - tail.count - 7)
        guard width >= 5 else { return String("\(label) \(number)  \(tail)".prefix(max(1, columns - 1))) }
        let filled = total > 0 ? width * done / total : width
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(label) \(bar) \(number)  \(tail)"
    }

    private static func oneDigit(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        let minutes = whole / 60
        let rest = whole % 60
        if minutes >= 60 { return "\(minutes / 60)h\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)m" }
        return minutes > 0 ? "\(minutes)m\(rest < 10 ? "0" : "")\(rest)s" : "\(rest)s"
    }
}
