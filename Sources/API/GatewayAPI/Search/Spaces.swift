/// An embedding space: vectors of one model that are comparable.
public struct SpaceState: Codable, Sendable, Hashable {
    /// The space's id.
    public var id: Int64
    /// The model's name.
    public var model: String
    /// The model's digest.
    public var digest: String
    /// The length of the vectors.
    public var dimensions: Int
    /// Whether long notes have a vector for each passage.
    public var passages: Bool
    /// Whether the space answers queries.
    public var active: Bool
    /// Whether it answered before the active one; a rollback returns to it.
    public var previous: Bool
    /// Whether new notes get vectors in it.
    public var filled: Bool
    /// Notes with vectors.
    public var embedded: Int
    /// Notes in all.
    public var notes: Int
    /// Notes that wait for vectors.
    public var waiting: Int
    /// Notes whose embedding failed for good.
    public var failed: Int
    /// When it was created, `YYYY-MM-DD HH:MM:SS` in UTC.
    public var createdAt: String
    /// When it first answered queries; nil when it never did.
    public var activatedAt: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, model, digest, dimensions, passages, active, previous, filled, embedded, notes, waiting, failed
        case createdAt = "created_at"
        case activatedAt = "activated_at"
    }

    /// Creates it from its fields.
    public init(
        id: Int64, model: String, digest: String, dimensions: Int, passages: Bool, active: Bool, previous: Bool,
        filled: Bool, embedded: Int, notes: Int, waiting: Int, failed: Int, createdAt: String, activatedAt: String?
    ) {
        (self.id, self.model, self.digest, self.dimensions) = (id, model, digest, dimensions)
        (self.passages, self.active, self.previous, self.filled) = (passages, active, previous, filled)
        (self.embedded, self.notes, self.waiting, self.failed) = (embedded, notes, waiting, failed)
        (self.createdAt, self.activatedAt) = (createdAt, activatedAt)
    }
}

/// The reply of the routes of embedding spaces.
public struct SpaceList: Codable, Sendable, Hashable {
    /// All spaces, oldest first.
    public var spaces: [SpaceState]

    /// Creates it from its fields.
    public init(spaces: [SpaceState]) { self.spaces = spaces }
}

/// The body of `POST /api/admin/spaces/:id/switch`; the body and its field may be absent.
public struct SpaceSwitchRequest: Codable, Sendable, Hashable {
    /// The percentage of notes that must have vectors in the space, 0 to 100; 100 when absent.
    public var at: Double?

    /// Creates a request.
    public init(at: Double? = nil) { self.at = at }
}
