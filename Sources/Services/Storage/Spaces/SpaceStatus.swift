/// The state of an embedding space.
package struct SpaceStatus: Sendable, Hashable {
    package var stored: StoredSpace
    /// Whether the space answers queries.
    package var isActive: Bool
    /// Whether the space answered queries before the active one.
    package var isPrevious: Bool
    /// Whether written notes are enqueued for the space.
    package var isFilled: Bool
    /// When the space first answered queries, `YYYY-MM-DD HH:MM:SS` in UTC; nil when it never did.
    package var activatedAt: String?
    /// When the space was created, in the same format.
    package var createdAt: String
    /// Number of notes with vectors, stale vectors included.
    package var embedded: Int
    /// Notes that lack vectors; exact while the space is being filled.
    package var queue: QueueCounts

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
package enum SpaceSwitch: Sendable, Hashable {
    /// The space now answers queries.
    case switched
    /// The space already answered queries.
    case active
    /// Too few notes have vectors in the space.
    case incomplete(missing: Int, notes: Int)
    /// The space answered before and was switched away from; only a user can switch back.
    case leftBefore
}
