/// A pair of notes that are near to each other.
public struct NoteAssociation: Codable, Sendable, Hashable {
    /// The note with the smaller id.
    public var noteAId: Int64
    /// The note with the greater id.
    public var noteBId: Int64
    /// The title of the first one.
    public var noteATitle: String
    /// The title of the second one.
    public var noteBTitle: String
    /// Their cosine.
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

/// The reply of `GET /api/briefing/associations`: pairs of notes that are near to each other, nearest first.
public struct AssociationsResponse: Codable, Sendable, Hashable {
    /// How many pairs follow.
    public var count: Int
    /// The pairs, each one once.
    public var associations: [NoteAssociation]
    /// Where the next page begins; absent on the last page.
    public var nextCursor: String?

    /// The names on the wire.
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
