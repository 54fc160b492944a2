import Storage

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

/// How notes are grouped into embedding calls; pure.
///
/// Notes are cut only when their turn comes, so that few of them are held twice.
struct BackfillPlan: Sendable {
    /// Bytes of text in one call at most, unless a single passage is longer.
    static let maxCallBytes = 1 << 20

    private var notes: ArraySlice<PendingNote>
    private var next: CutNote?
    private let size: Int
    private let chunks: Bool

    /// Plans notes in their order.
    ///
    /// - Parameter size: Texts in one call at most.
    init(notes: [PendingNote], size: Int, chunks: Bool) {
        self.notes = notes[...]
        self.size = max(1, size)
        self.chunks = chunks
    }

    /// The next notes whose texts fit into one call together, or one note that needs several; nil at the end.
    mutating func nextBatch() -> [CutNote]? {
        var batch: [CutNote] = []
        var texts = 0
        var bytes = 0
        while let note = next ?? notes.popFirst().map({ CutNote($0, chunks: chunks) }) {
            next = note
            texts += note.texts.count
            bytes += note.texts.reduce(0) { $0 + $1.utf8.count }
            if !batch.isEmpty, texts > size || bytes > Self.maxCallBytes { break }
            batch.append(note)
            next = nil
        }
        return batch.isEmpty ? nil : batch
    }

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
    func pause(afterFailures failures: Int) -> Duration? {
        guard failures < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, failures) { pause = pause * 2 }
        return min(longestPause, pause)
    }
}
