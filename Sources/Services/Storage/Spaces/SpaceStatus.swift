/// The state of an embedding space.
public struct SpaceStatus: Sendable, Hashable {
    /// The space.
    public var stored: StoredSpace
    /// Whether the space answers queries.
    public var isActive: Bool
    /// Whether the space answered queries before the active one.
    public var isPrevious: Bool
    /// Whether written notes are enqueued for the space.
    public var isFilled: Bool
    /// When the space first answered queries, `YYYY-MM-DD HH:MM:SS` in UTC; nil when it never did.
    public var activatedAt: String?
    /// When the space was created, in the same format.
    public var createdAt: String
    /// Number of notes with vectors, stale vectors included.
    public var embedded: Int
    /// Notes that lack vectors; exact while the space is being filled.
    public var queue: QueueCounts

    /// Creates a status.
    package init(
        stored: StoredSpace, isActive: Bool, isPrevious: Bool, isFilled: Bool, activatedAt: String?, createdAt: String,
        embedded: Int, queue: QueueCounts
    ) {
        self.stored = stored
        self.isActive = isActive
        self.isPrevious = isPrevious
        self.isFilled = isFilled
        self.activatedAt = activatedAt
        self.createdAt = createdAt
        self.embedded = embedded
        self.queue = queue
    }
}

/// The result of a request to switch spaces.
public enum SpaceSwitch: Sendable, Hashable {
    /// The space now answers queries.
    case switched
    /// The space already answered queries.
    case active
    /// Too few notes have vectors in the space.
    case incomplete(missing: Int, notes: Int)
    /// The space answered before and was switched away from; only a user can switch back.
    case leftBefore
}
