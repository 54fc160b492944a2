/// How many texts go into one call: more while calls are short, fewer when they take long or fail; pure.
///
/// A long call keeps whoever asks a question meanwhile waiting, since an embedding model answers one call at a time.
struct BatchSizer: Sendable, Hashable {
    /// How long a call should take at most.
    static let target = Duration.seconds(1)
    /// The same while people ask questions.
    static let politeTarget = Duration.milliseconds(50)

    /// Texts in one call at most.
    let most: Int
    /// Texts that the next call should have.
    private(set) var size: Int
    /// What a text takes, recent ones counting most; nil before the first.
    private(set) var secondsPerText: Double?

    init(most: Int) {
        self.most = max(1, most)
        size = min(self.most, 32)
    }

    /// A call was answered.
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

    /// A call failed, and not because of a text.
    mutating func failed() { size = max(1, size / 2) }

    /// Texts that a call should have while people ask questions.
    var politeSize: Int {
        guard let secondsPerText, secondsPerText > 0 else { return 1 }
        return max(1, min(size, Int(min(1e6, Self.politeTarget / .seconds(1) / secondsPerText))))
    }
}

/// Makes room for people's questions: a backfill takes a small share of the upstream's time while they come; pure.
struct Courtesy: Sendable {
    /// How long after a question it still counts as a time of questions.
    static let quiet = Duration.seconds(1)
    /// The share of the time that a backfill takes then.
    static let share = 0.03
    /// No pause is longer.
    static let longestPause = Duration.seconds(5)

    private var questions: Int?
    private var lastQuestion: ContinuousClock.Instant?
    private var restUntil: ContinuousClock.Instant?

    /// Looks at the number of questions so far.
    mutating func look(at count: Int, now: ContinuousClock.Instant) {
        if let questions, count != questions { lastQuestion = now }
        questions = count
    }

    /// Whether it is a time of questions.
    func isNeeded(now: ContinuousClock.Instant) -> Bool { lastQuestion.map { now - $0 < Self.quiet } ?? false }

    /// A call took so long.
    mutating func called(for elapsed: Duration, now: ContinuousClock.Instant) {
        restUntil = now + min(Self.longestPause, elapsed * (1 / Self.share - 1))
    }

    /// How long the next call should wait; nil when it may begin.
    func rest(now: ContinuousClock.Instant) -> Duration? {
        guard isNeeded(now: now), let restUntil, now < restUntil else { return nil }
        return restUntil - now
    }
}
