import Storage

/// A note that was taken from the queue, cut into texts.
struct HeldNote: Sendable, Hashable {
    var note: CutNote
    var attempts: Int
}

/// Notes of one space that go into a call together, or one note that needs several.
struct NoteBatch: Sendable, Hashable {
    var space: StoredSpace
    var notes: [HeldNote]
    /// Texts in one call at most.
    var size: Int
}

/// Notes that were taken and wait for a call, in their order; pure.
struct HeldNotes: Sendable {
    private var notes: [(space: StoredSpace, note: HeldNote)] = []
    /// Texts that are held.
    private(set) var texts = 0

    /// Cuts notes and appends them.
    mutating func add(_ items: [QueueItem], of space: StoredSpace) {
        for item in items {
            let note = CutNote(item.note, chunks: space.space.chunkerVersion > 0)
            texts += note.texts.count
            notes.append((space, HeldNote(note: note, attempts: item.attempts)))
        }
    }

    /// Puts notes back to the front.
    mutating func giveBack(_ batch: NoteBatch) {
        texts += batch.notes.reduce(0) { $0 + $1.note.texts.count }
        notes.insert(contentsOf: batch.notes.map { (batch.space, $0) }, at: 0)
    }

    /// The next notes of one space whose texts fit into a call, at least one note; nil when none is held.
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
