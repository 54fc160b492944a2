/// A note that a worker leased from the queue.
package struct QueueItem: Sendable, Hashable {
    /// The note at the time of the lease.
    package var note: PendingNote
    /// Failed attempts before this one.
    package var attempts: Int

    package init(note: PendingNote, attempts: Int) {
        self.note = note
        self.attempts = attempts
    }
}

/// The result of one claim.
package struct QueueClaim: Sendable, Hashable {
    /// Notes to embed. The worker holds them until it completes them, gives them back, or its lease ends.
    package var items: [QueueItem]
    /// Notes dequeued because they need no embedding: unchanged, empty or deleted.
    package var skipped: Int

    package init(items: [QueueItem], skipped: Int) {
        self.items = items
        self.skipped = skipped
    }

    /// Whether no queued note was due.
    package var isEmpty: Bool { items.isEmpty && skipped == 0 }
}

/// Restricts the queued notes that a worker claims.
package struct QueueFilter: Sendable, Hashable {
    /// Only notes created on this day, `YYYY-MM-DD`, or later; all when nil.
    package var createdSince: String?

    package init(createdSince: String? = nil) { self.createdSince = createdSince }
}

/// Counts the notes that lack vectors in a space, by state.
package struct QueueCounts: Sendable, Hashable, Codable {
    /// Waiting notes, including those to be retried.
    package var waiting = 0
    /// Notes leased by a worker.
    package var leased = 0
    /// Notes that failed and are not retried.
    package var failed = 0

    package init(waiting: Int = 0, leased: Int = 0, failed: Int = 0) {
        self.waiting = waiting
        self.leased = leased
        self.failed = failed
    }

    /// The sum of the three.
    package var all: Int { waiting + leased + failed }
}

/// A note that failed and is not retried, and why.
package struct DeadLetter: Sendable, Hashable, Codable {
    package var noteID: Int64
    /// The model's error message.
    package var reason: String
    /// The number of attempts.
    package var attempts: Int

    /// Creates the record of a failed note.
    package init(noteID: Int64, reason: String, attempts: Int) {
        self.noteID = noteID
        self.reason = reason
        self.attempts = attempts
    }

    /// Maps the properties to their JSON names.
    package enum CodingKeys: String, CodingKey {
        case noteID = "note_id"
        case reason, attempts
    }
}

/// A failed attempt to embed a note, and whether to retry.
package struct QueueFailure: Sendable, Hashable {
    package var noteID: Int64
    /// The hash of the text that failed.
    package var contentHash: [UInt8]
    /// The model's error message.
    package var reason: String
    /// The delay before the next attempt; nil stops retrying.
    package var retryAfter: Duration?

    package init(noteID: Int64, contentHash: [UInt8], reason: String, retryAfter: Duration?) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.reason = reason
        self.retryAfter = retryAfter
    }
}
