/// The reply of `GET /api/notes/:id/related`.
public struct RelatedResponse: Codable, Sendable, Hashable {
    /// The id of the note whose neighbours are listed.
    public var noteID: Int64
    /// The number of results in this reply.
    public var count: Int
    /// The nearest notes, nearest first; the score is the cosine.
    public var results: [RetrievedNote]
    /// Why the list is empty, when the note has no vector.
    public var reason: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case noteID = "note_id"
        case count, results, reason
    }

    /// Creates a reply.
    public init(noteID: Int64, results: [RetrievedNote], reason: String? = nil) {
        self.noteID = noteID
        count = results.count
        self.results = results
        self.reason = reason
    }
}
