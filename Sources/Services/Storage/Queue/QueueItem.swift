/// A note that a worker has taken from the queue.
public struct QueueItem: Sendable, Hashable {
    /// The note as it was when it was taken.
    public var note: PendingNote
    /// Failed tries before this one.
    public var attempts: Int

    /// Creates an item.
    public init(note: PendingNote, attempts: Int) {
        self.note = note
        self.attempts = attempts
    }
}

/// What a worker got when it asked for notes.
public struct QueueClaim: Sendable, Hashable {
    /// Notes to embed; the worker holds them until it settles them, gives them back or its lease ends.
    public var items: [QueueItem]
    /// Notes that turned out to need nothing: unchanged, empty or gone.
    public var settled: Int

    /// Whether there was nothing to take at all.
    public var isEmpty: Bool { items.isEmpty && settled == 0 }
}

/// Which notes of the queue a worker wants.
public struct QueueFilter: Sendable, Hashable {
    /// Notes that were created on this day, `YYYY-MM-DD`, or later; all when nil.
    public var createdSince: String?

    /// Creates a filter.
    public init(createdSince: String? = nil) { self.createdSince = createdSince }
}

/// How many notes a space lacks, and why.
public struct QueueCounts: Sendable, Hashable, Codable {
    /// Notes that wait, those that will be tried again included.
    public var waiting = 0
    /// Notes that a worker has.
    public var leased = 0
    /// Notes that were given up.
    public var failed = 0

    /// Creates counts.
    public init(waiting: Int = 0, leased: Int = 0, failed: Int = 0) {
        self.waiting = waiting
        self.leased = leased
        self.failed = failed
    }

    /// All of them.
    public var all: Int { waiting + leased + failed }
}

/// A note that was given up, and why.
public struct DeadLetter: Sendable, Hashable, Codable {
    /// The note.
    public var noteID: Int64
    /// What the model said.
    public var reason: String
    /// How often it was tried.
    public var attempts: Int

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case noteID = "note_id"
        case reason, attempts
    }
}

/// Why a note could not be embedded, and whether it is tried again.
public struct QueueFailure: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// The hash of the text that was refused.
    public var contentHash: [UInt8]
    /// What the model said.
    public var reason: String
    /// The pause before the next try; nil gives the note up.
    public var retryAfter: Duration?

    /// Creates a failure.
    public init(noteID: Int64, contentHash: [UInt8], reason: String, retryAfter: Duration?) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.reason = reason
        self.retryAfter = retryAfter
    }
}
