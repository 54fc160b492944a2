import Storage
import Text

/// A note's texts to embed, one for each passage.
struct CutNote: Sendable, Hashable {
    var id: Int64
    var contentHash: [UInt8]
    /// At least one text, without the model's prefix.
    var texts: [String]

    /// Cuts a note into passages, or takes it whole.
    init(_ note: PendingNote, chunks: Bool) {
        id = note.id
        contentHash = note.contentHash
        texts =
            chunks ? Chunker.passages(title: note.title, content: note.content).map(\.text) : [note.text]
    }
}

/// Groups texts into embedding calls. Pure.
enum BackfillPlan {
    /// The maximum bytes of text in one call, unless a single passage is longer.
    static let maxCallBytes = 1 << 20

    /// Groups texts, in their order, into calls of at most `size` texts and ``maxCallBytes`` bytes.
    static func calls(for texts: [String], size: Int) -> [Range<Int>] {
        var calls: [Range<Int>] = []
        var start = 0
        var bytes = 0
        for (index, text) in texts.enumerated() {
            bytes += text.utf8.count
            guard index > start, index - start == size || bytes > maxCallBytes else { continue }
            calls.append(start..<index)
            start = index
            bytes = text.utf8.count
        }
        if start < texts.count { calls.append(start..<texts.count) }
        return calls
    }
}

/// Decides when to retry a failed call. Pure.
struct BackfillRetryPolicy: Sendable, Hashable {
    /// The maximum number of calls, including the first.
    var attempts: Int
    /// The pause before the second call.
    var firstPause: Duration
    var longestPause: Duration

    init(
        attempts: Int = 6, firstPause: Duration = .milliseconds(250), longestPause: Duration = .seconds(10)
    ) { (self.attempts, self.firstPause, self.longestPause) = (attempts, firstPause, longestPause) }

    /// As many calls as fit into a time, and at least one. Without a time, as many as a few seconds take.
    init(within limit: Duration?) {
        self.init()
        guard let limit else { return }
        attempts = .max
        var (calls, waited) = (1, Duration.zero)
        while let pause = pause(afterFailures: calls), waited + pause <= limit {
            waited += pause
            calls += 1
        }
        attempts = calls
    }

    /// The pause after a number of failed calls; nil to give up.
    ///
    /// - Parameter asked: Seconds of a Retry-After; up to a minute of it is waited for.
    func pause(afterFailures failures: Int, asked: Int? = nil) -> Duration? {
        guard failures < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, failures) where pause < longestPause { pause = pause * 2 }
        return max(min(longestPause, pause), .seconds(min(60, asked ?? 0)))
    }
}
