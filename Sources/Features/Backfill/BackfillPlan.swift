import Storage
import Text

/// A note as texts to embed: one for each passage.
struct CutNote: Sendable, Hashable {
    var id: Int64
    var contentHash: [UInt8]
    /// At least one, without the model's prefix.
    var texts: [String]

    /// Cuts a note, or takes it whole.
    init(_ note: PendingNote, chunks: Bool) {
        id = note.id
        contentHash = note.contentHash
        texts =
            chunks ? Chunker.passages(title: note.title, content: note.content).map(\.text) : [note.text]
    }
}

/// How texts are grouped into embedding calls; pure.
enum BackfillPlan {
    /// Bytes of text in one call at most, unless a single passage is longer.
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

/// When a failed call is tried again; pure.
struct RetryPolicy: Sendable, Hashable {
    /// Calls at most, the first one counted.
    var attempts = 6
    /// The pause before the second call.
    var firstPause = Duration.milliseconds(250)
    /// No pause is longer.
    var longestPause = Duration.seconds(10)

    /// The pause after a number of failed calls; nil when it is enough.
    ///
    /// - Parameter asked: Seconds of a Retry-After; up to a minute of it is waited for.
    func pause(afterFailures failures: Int, asked: Int? = nil) -> Duration? {
        guard failures < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, failures) { pause = pause * 2 }
        return max(min(longestPause, pause), .seconds(min(60, asked ?? 0)))
    }
}
