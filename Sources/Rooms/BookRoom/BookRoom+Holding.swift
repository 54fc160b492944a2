import Database
package import Machine

/// One worker works on a book at a time: it holds the book by a ``Lease`` until it releases it.
extension BookRoom {
    /// The time between two signs of life.
    package var renewalInterval: Duration { lease / 4 }

    /// Takes a book for work, from a holder that is gone, too.
    ///
    /// - Returns: The book; nil when another holder has it.
    /// - Throws: ``StorageError/Code/notFound``.
    package func claim(_ id: Int64, as worker: WorkerName) async throws -> StoredBook? {
        // A caller may ask again and again, so that this only reads at first.
        guard try await !isHeld(id, besides: worker) else { return nil }
        return try await store.transaction { [lease] session in
            guard try !Self.isHeld(id, besides: worker, lease, session) else { return nil }
            try session.run(
                "UPDATE gateway_books SET owner = $1, lease = $2 WHERE id = $3",
                [.text(worker.description), .integer(Lease.end(at: try session.clock(), length: lease)), .integer(id)])
            return try BookRows.required(session, id)
        }
    }

    /// Gives a sign of life for a book, which is due every ``renewalInterval``.
    ///
    /// - Returns: false when the worker no longer holds the book.
    package func renew(_ id: Int64, as worker: WorkerName) async throws -> Bool {
        try await store.relaxedTransaction { [lease] session in
            try session.run(
                "UPDATE gateway_books SET lease = $1 WHERE id = $2 AND owner = $3",
                [.integer(Lease.end(at: try session.clock(), length: lease)), .integer(id), .text(worker.description)])
                > 0
        }
    }

    /// Releases a book that a worker holds.
    package func release(_ id: Int64, as worker: WorkerName) async throws {
        _ = try await store.relaxedTransaction { session in
            try session.run(
                "UPDATE gateway_books SET owner = NULL, lease = NULL WHERE id = $1 AND owner = $2",
                [.integer(id), .text(worker.description)])
        }
    }

    /// Whether somebody works on a book.
    ///
    /// - Parameter worker: A worker that does not count.
    /// - Throws: ``StorageError/Code/notFound``.
    package func isHeld(_ id: Int64, besides worker: WorkerName? = nil) async throws -> Bool {
        try await store.snapshot { [lease] in try Self.isHeld(id, besides: worker, lease, $0, locks: false) }
    }

    private static func isHeld(
        _ id: Int64, besides worker: WorkerName?, _ lease: Duration, _ session: any SQLSession, locks: Bool = true
    ) throws -> Bool {
        let row = try session.first(
            "SELECT owner, lease FROM gateway_books WHERE id = $1\(locks ? session.dialect.locksRows : "")",
            [.integer(id)])
        guard let row else { throw BookRows.missing(id) }
        guard let owner = row.text(0).map({ WorkerName($0) }), owner != worker else { return false }
        return Lease(owner: owner, end: row.integer(1))
            .state(at: try session.clock(), length: lease, in: session.dialect) == .held
    }

    /// Whether a worker holds a book, which it then keeps until the end of the transaction.
    static func holds(_ id: Int64, _ worker: WorkerName, _ session: any SQLSession) throws -> Bool {
        try session.first(
            "SELECT id FROM gateway_books WHERE id = $1 AND owner = $2\(session.dialect.locksRows)",
            [.integer(id), .text(worker.description)]) != nil
    }
}
