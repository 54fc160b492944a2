/// A note for the retrieval index, or the removal of a note.
package enum IndexedNote: Sendable, Hashable {
    /// An existing note, with its vectors in the requested space.
    case present(FeedNote)
    /// A note that was deleted or is hidden.
    case removed(id: Int64)
}

/// The fields of a note that the retrieval index holds.
package struct FeedNote: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    /// The title, one line; may be empty.
    package var title: String
    /// The content; may be empty.
    package var content: String
    /// The kind of note.
    package var noteType: String?
    /// Whether the note calls for an action.
    package var actionability: String?
    /// Creation time in seconds since 1970, UTC; 0 when the database holds no readable date.
    package var createdAt: Int64
    /// The ids of the note's threads, ascending.
    package var threads: [Int64]
    /// The author's tags, as they were written.
    package var tags: [String]
    /// The vectors of its passages, concatenated, each of the space's dimensions; empty without vectors. Ends before
    /// the first missing or damaged passage.
    package var vectors: [Float]
    /// The number of passages in ``vectors``; 0 without vectors.
    package var passages: Int

    /// The approximate memory of the note in bytes.
    var bytes: Int { title.utf8.count + content.utf8.count + vectors.count * 4 }

    package init(
        id: Int64, title: String, content: String, noteType: String? = nil, actionability: String? = nil,
        createdAt: Int64 = 0, threads: [Int64] = [], tags: [String] = [], vectors: [Float] = [], passages: Int = 0
    ) {
        self.id = id
        self.title = title
        self.content = content
        self.noteType = noteType
        self.actionability = actionability
        self.createdAt = createdAt
        self.threads = threads
        self.tags = tags
        self.vectors = vectors
        self.passages = passages
    }
}
