import Storage

/// How notes are grouped into embedding calls; pure.
enum BackfillPlan {
    /// Bytes of text in one call at most, unless a single note is longer.
    static let maxBatchBytes = 1 << 20

    /// Cuts notes into batches of at most `size` notes and ``maxBatchBytes`` bytes, in their order.
    static func batches(of notes: [PendingNote], size: Int) -> [[PendingNote]] {
        var batches: [[PendingNote]] = []
        var batch: [PendingNote] = []
        var bytes = 0
        for note in notes {
            let length = note.text.utf8.count
            if batch.count == size || (!batch.isEmpty && bytes + length > maxBatchBytes) {
                batches.append(batch)
                batch = []
                bytes = 0
            }
            batch.append(note)
            bytes += length
        }
        if !batch.isEmpty { batches.append(batch) }
        return batches
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
    func pause(afterFailures failures: Int) -> Duration? {
        guard failures < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, failures) { pause = pause * 2 }
        return min(longestPause, pause)
    }
}
