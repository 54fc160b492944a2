/// Adapts the number of texts per call: more while calls are short, fewer when calls are slow or fail. Pure.
///
/// A long call delays questions, since an embedding model answers one call at a time.
struct BatchSizer: Sendable, Hashable {
    /// The longest desired call.
    static let target = Duration.seconds(1)
    /// The longest desired call while people ask questions.
    static let politeTarget = Duration.milliseconds(50)

    /// The maximum number of texts in one call.
    let most: Int
    /// The number of texts for the next call.
    private(set) var size: Int
    /// The moving average of seconds per text; nil before the first call.
    private(set) var secondsPerText: Double?

    init(most: Int) {
        self.most = max(1, most)
        size = min(self.most, 32)
    }

    /// Records a successful call.
    mutating func succeeded(texts: Int, in elapsed: Duration) {
        guard texts > 0 else { return }
        let seconds = elapsed / .seconds(1)
        let each = seconds / Double(texts)
        secondsPerText = secondsPerText.map { $0 + (each - $0) * 0.2 } ?? each
        if elapsed > Self.target * 1.5 {
            size = max(1, min(size, texts) / 2)
        } else if elapsed < Self.target / 2, texts >= size {
            size = min(most, size * 2)
        }
    }

    /// Records a call that failed for reasons other than its texts; halves the size.
    mutating func failed() { size = max(1, size / 2) }

    /// The number of texts for the next call while people ask questions.
    var politeSize: Int {
        guard let secondsPerText, secondsPerText > 0 else { return 1 }
        return max(1, min(size, Int(min(1e6, Self.politeTarget / .seconds(1) / secondsPerText))))
    }
}

/// Limits a backfill to a small share of the upstream's time while people ask questions. Pure.
struct BackfillThrottle: Sendable {
    /// How long the limit stays after the last question.
    static let quiet = Duration.seconds(1)
    /// The share of time for the backfill while people ask questions.
    static let share = 0.03
    static let longestPause = Duration.seconds(5)

    private var questions: Int?
    private var lastQuestion: ContinuousClock.Instant?
    private var restUntil: ContinuousClock.Instant?

    /// Takes the number of questions so far.
    mutating func observe(_ count: Int, now: ContinuousClock.Instant) {
        if let questions, count != questions { lastQuestion = now }
        questions = count
    }

    /// Whether a question came within the last ``quiet``.
    func isNeeded(now: ContinuousClock.Instant) -> Bool { lastQuestion.map { now - $0 < Self.quiet } ?? false }

    /// Records a call's duration.
    mutating func called(for elapsed: Duration, now: ContinuousClock.Instant) {
        restUntil = now + min(Self.longestPause, elapsed * (1 / Self.share - 1))
    }

    /// How long the next call should wait; nil when it may begin.
    func rest(now: ContinuousClock.Instant) -> Duration? {
        guard isNeeded(now: now), let restUntil, now < restUntil else { return nil }
        return restUntil - now
    }
}
