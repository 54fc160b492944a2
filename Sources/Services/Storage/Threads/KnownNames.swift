import BookRoom
import Database

/// The names that a question may mention.
package struct KnownNames: Sendable {
    /// Threads, highest momentum first.
    package var threads: [(id: Int64, name: String)]
    /// Titles of books, latest first.
    package var books: [(id: Int64, title: String)]

    package init(threads: [(id: Int64, name: String)], books: [(id: Int64, title: String)]) {
        self.threads = threads
        self.books = books
    }
}

extension GatewayDatabase {
    /// Returns the names of threads and books, each cut to 1,024 bytes at most, from one snapshot.
    ///
    /// - Parameter limit: The largest number of threads, and of books.
    /// - Throws: ``StorageError``.
    package func knownNames(limit: Int) async throws -> KnownNames {
        try await read { database, layout in
            KnownNames(
                threads: try ThreadStore.names(limit: limit, database, layout),
                books: try BookSnapshot(SQLiteSession(database: database, now: StoreClock(now: 0, steadySince: 0)))
                    .titles(
                        limit: limit))
        }
    }
}
