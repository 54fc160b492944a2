/// A note that a worker leased from the queue.
public struct QueueItem: Sendable, Hashable {
    /// The note at the time of the lease.
    public var note: PendingNote
    /// Failed attempts before this one.
    public var attempts: Int

    /// Creates an item.
    public init(note: PendingNote, attempts: Int) {
        self.note = note
        self.attempts = attempts
    }
}

/// The result of one claim.
public struct QueueClaim: Sendable, Hashable {
    /// Notes to embed. The worker holds them until it completes them, gives them back, or its lease ends.
    public var items: [QueueItem]
    /// Notes dequeued because they need no embedding: unchanged, empty or deleted.
    public var skipped: Int

    /// Creates a claim.
    public init(items: [QueueItem], skipped: Int) {
        self.items = items
        self.skipped = skipped
    }

    /// Whether no queued note was due.
    public var isEmpty: Bool { items.isEmpty && skipped == 0 }
}

/// Restricts the queued notes that a worker claims.
public struct QueueFilter: Sendable, Hashable {
    /// Only notes created on this day, `YYYY-MM-DD`, or later; all when nil.
    public var createdSince: String?

    /// Creates a filter.
    public init(createdSince: String? = nil) { self.createdSince = createdSince }
}

/// Counts the notes that lack vectors in a space, by state.
public struct QueueCounts: Sendable, Hashable, Codable {
    /// Waiting notes, including those to be retried.
    public var waiting = 0
    /// Notes leased by a worker.
    public var leased = 0
    /// Notes that failed and are not retried.
    public var failed = 0

    /// Creates counts.
    public init(waiting: Int = 0, leased: Int = 0, failed: Int = 0) {
        self.waiting = waiting
        self.leased = leased
        self.failed = failed
    }

    /// The sum of the three.
    public var all: Int { waiting + leased + failed }
}

/// A note that failed and is not retried, and why.
public struct DeadLetter: Sendable, Hashable, Codable {
    /// The note's id.
    public var noteID: Int64
    /// The model's error message.
    public var reason: String
    /// The number of attempts.
    public var attempts: Int

    /// Creates the record of a failed note.
    public init(noteID: Int64, reason: String, attempts: Int) {
        self.noteID = noteID
        self.reason = reason
        self.attempts = attempts
    }

    /// Maps the properties to their JSON names.
    public enum CodingKeys: String, CodingKey {
        case noteID = "note_id"
        case reason, attempts
    }
}

/// A failed attempt to embed a note, and whether to retry.
public struct QueueFailure: Sendable, Hashable {
    /// The note's id.
    public var noteID: Int64
    /// The hash of the text that failed.
    public var contentHash: [UInt8]
    /// The model's error message.
    public var reason: String
    /// The delay before the next attempt; nil stops retrying.
    public var retryAfter: Duration?

    /// Creates a failure.
    public init(noteID: Int64, contentHash: [UInt8], reason: String, retryAfter: Duration?) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.reason = reason
        self.retryAfter = retryAfter
    }
}
