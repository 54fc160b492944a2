/// A pair of similar notes.
public struct NoteAssociation: Codable, Sendable, Hashable {
    /// The smaller note id.
    public var noteAId: Int64
    /// The greater note id.
    public var noteBId: Int64
    /// The title of the first note.
    public var noteATitle: String
    /// The title of the second note.
    public var noteBTitle: String
    /// The cosine of the two notes' vectors.
    public var similarity: Double

    /// Creates a pair.
    public init(noteAId: Int64, noteBId: Int64, noteATitle: String, noteBTitle: String, similarity: Double) {
        self.noteAId = noteAId
        self.noteBId = noteBId
        self.noteATitle = noteATitle
        self.noteBTitle = noteBTitle
        self.similarity = similarity
    }
}

/// The reply of `GET /api/briefing/associations`: pairs of similar notes, nearest first.
public struct AssociationsResponse: Codable, Sendable, Hashable {
    /// The number of pairs in this reply.
    public var count: Int
    /// The pairs; each pair occurs once.
    public var associations: [NoteAssociation]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, associations
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(associations: [NoteAssociation], nextCursor: String? = nil) {
        count = associations.count
        self.associations = associations
        self.nextCursor = nextCursor
    }
}
