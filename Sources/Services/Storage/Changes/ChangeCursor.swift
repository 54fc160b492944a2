/// A position in the change log: all changes up to it are known.
package struct ChangeCursor: Sendable, Hashable, Comparable {
    /// The number of an entry in a file. With a server the number of a transaction: all that began before it are known.
    var sequence: Int64
    /// What more is known with a server; nil in a file.
    package var transactions: Transactions?

    /// A server's transactions do not end in the order of their numbers. So a position there is a snapshot.
    package struct Transactions: Sendable, Hashable {
        /// The log's table and the run of the server; entries of another one have other numbers.
        package var log: String
        /// The snapshot, whose transactions are known.
        package var snapshot: String
        /// How far the entries beyond it have been read; nil when none were.
        package var read: Read?

        package struct Read: Sendable, Hashable {
            package var transaction: String
            package var entry: Int64
            /// The snapshot of the first of these readings, which counts when all are read.
            package var snapshot: String

            package init(transaction: String, entry: Int64, snapshot: String) {
                self.transaction = transaction
                self.entry = entry
                self.snapshot = snapshot
            }
        }

        package init(log: String, snapshot: String, read: Read? = nil) {
            self.log = log
            self.snapshot = snapshot
            self.read = read
        }
    }

    /// Whether the first cursor is earlier in the log.
    package static func < (left: ChangeCursor, right: ChangeCursor) -> Bool { left.sequence < right.sequence }

    /// The position as a number, to store in a file.
    package var position: Int64 { sequence }

    /// Creates a cursor from a stored position.
    package init(position: Int64, transactions: Transactions? = nil) {
        sequence = position
        self.transactions = transactions
    }

    init(sequence: Int64) { self.init(position: sequence) }
}

/// The state that a reader polls to follow the database, at the cost of one small query.
package struct DatabaseChangeState: Sendable, Hashable {
    /// The end of the change log.
    package var cursor: ChangeCursor
    /// The space that answers queries.
    package var activeSpace: StoredSpace?

    package init(cursor: ChangeCursor, activeSpace: StoredSpace?) {
        self.cursor = cursor
        self.activeSpace = activeSpace
    }
}

/// Changes since a cursor.
package struct ChangeBatch: Sendable {
    /// The changed notes, each once.
    package var notes: [IndexedNote]
    /// The position up to which these are all changes. When ``needsReload`` is set, the position right before the log's
    /// first entry, from where the log can be followed again. That position lies before the requested cursor when the
    /// log belongs to another file.
    package var cursor: ChangeCursor
    /// Whether there are further changes.
    package var hasMore = false
    /// Whether the log no longer reaches back to the cursor, so that any note may have changed.
    package var needsReload: Bool

    package init(notes: [IndexedNote], cursor: ChangeCursor, hasMore: Bool = false, needsReload: Bool) {
        self.notes = notes
        self.cursor = cursor
        self.hasMore = hasMore
        self.needsReload = needsReload
    }
}
