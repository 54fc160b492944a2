import Storage

/// A note leased from the queue, cut into texts.
struct HeldNote: Sendable, Hashable {
    var note: CutNote
    var attempts: Int

    /// Cuts a note into the texts of a space.
    init(_ item: QueueItem, of space: StoredSpace) {
        note = CutNote(item.note, chunks: space.space.chunkerVersion > 0)
        attempts = item.attempts
    }
}

/// The notes of one space that share an embedding call, or one note that needs several calls.
struct NoteBatch: Sendable, Hashable {
    var space: StoredSpace
    var notes: [HeldNote]
    /// The maximum number of texts in one call.
    var size: Int
}

/// Leased notes that wait for an embedding call, in order. Pure.
struct HeldNotes: Sendable {
    private var notes: [(space: StoredSpace, note: HeldNote)] = []
    /// The number of texts held.
    private(set) var texts = 0

    /// Appends notes.
    mutating func add(_ cut: [HeldNote], of space: StoredSpace) {
        texts += cut.reduce(0) { $0 + $1.note.texts.count }
        notes += cut.map { (space, $0) }
    }

    /// Puts a batch back at the front.
    mutating func giveBack(_ batch: NoteBatch) {
        texts += batch.notes.reduce(0) { $0 + $1.note.texts.count }
        notes.insert(contentsOf: batch.notes.map { (batch.space, $0) }, at: 0)
    }

    /// Takes the next notes of one space whose texts fit into a call, at least one note; nil when no note is held.
    mutating func next(size: Int) -> NoteBatch? {
        guard let first = notes.first else { return nil }
        var batch = NoteBatch(space: first.space, notes: [], size: max(1, size))
        var (count, bytes) = (0, 0)
        for (space, note) in notes {
            count += note.note.texts.count
            bytes += note.note.texts.reduce(0) { $0 + $1.utf8.count }
            let fits = count <= batch.size && bytes <= BackfillPlan.maxCallBytes && space == first.space
            guard batch.notes.isEmpty || fits else { break }
            batch.notes.append(note)
        }
        notes.removeFirst(batch.notes.count)
        texts -= batch.notes.reduce(0) { $0 + $1.note.texts.count }
        return batch
    }
}
