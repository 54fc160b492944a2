/// How an embedding space stands.
public struct SpaceStatus: Sendable, Hashable {
    /// The space.
    public var stored: StoredSpace
    /// Whether queries are answered from it.
    public var isActive: Bool
    /// Whether it answered before the active one did.
    public var isPrevious: Bool
    /// Whether notes that are written are enqueued for it.
    public var isFilled: Bool
    /// When it first answered queries, `YYYY-MM-DD HH:MM:SS` in UTC; nil when it never did.
    public var activatedAt: String?
    /// When it was made, in the same form.
    public var createdAt: String
    /// Notes with vectors, those of an older text included.
    public var embedded: Int
    /// Notes that it lacks; exact while it is filled.
    public var queue: QueueCounts
}

/// What became of a wish to answer from another space.
public enum SpaceSwitch: Sendable, Hashable {
    /// Queries are answered from the space now.
    case switched
    /// They were already.
    case active
    /// The space has vectors of too few notes.
    case incomplete(missing: Int, notes: Int)
    /// The space answered before and was switched away from: that is undone by a person only.
    case leftBefore
}
