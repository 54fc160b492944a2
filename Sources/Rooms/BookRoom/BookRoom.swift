package import Database
package import Foundation
package import GatewayAPI
import Text

extension SQLStore {
    /// The books of all processes on the store.
    package var books: BookRoom { BookRoom(self) }
}

/// Reads and writes books: their contents, passages, vectors and reading positions. The files are the caller's matter.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct BookRoom: Sendable {
    let store: any SQLStore
    let lease: Duration

    /// - Parameter lease: How long a worker holds a book without a sign of life.
    package init(_ store: any SQLStore, lease: Duration = .seconds(60)) { (self.store, self.lease) = (store, lease) }

    /// Returns a page of books, latest first.
    ///
    /// - Parameter text: Only books whose title, authors or source contain this text, folded; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(containing text: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<Book> {
        try cursor?.check(numbers: 1)
        let needle = text.map { FoldedNeedle(folded: TextFolding.folded($0)) }
        let start = cursor?.numbers[0] ?? .max
        return try await store.snapshot { session in
            var found: [(item: Book, cursor: PageCursor)] = []
            var before = start
            while found.count <= limit {
                let values: [SQLValue] = [.integer(before), .count(limit + 1)]
                let batch = try BookRows.all(session, where: "b.id < $1 ORDER BY b.id DESC LIMIT $2", values)
                let rows = try session.rows(
                    "SELECT id FROM gateway_books WHERE id < $1 ORDER BY id DESC LIMIT $2", values)
                for stored in batch {
                    let book = stored.book
                    let texts = [book.title] + book.authors + [book.source ?? ""]
                    if let needle, !texts.contains(where: { needle.isIn($0) }) { continue }
                    found.append((book, PageCursor(book.id)))
                }
                guard rows.count > limit, let last = rows.last?.integer(0) else { break }
                before = last
            }
            return Page(found, limit: limit) { $0.title.utf8.count + $0.notices.count * 200 + 1024 }
        }
    }

    /// Returns a book.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: Int64) async throws -> Book { try await stored(id).book }

    /// Returns a book with the columns that the API does not show.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func stored(_ id: Int64) async throws -> StoredBook {
        guard let book = try await all(where: "b.id = $1", [.integer(id)]).first else { throw BookRows.missing(id) }
        return book
    }

    /// Returns all books with the columns that the API does not show, oldest first.
    package func all() async throws -> [StoredBook] { try await all(where: "true ORDER BY b.id", []) }

    /// Returns the books whose import has not ended, oldest first.
    package func unfinished() async throws -> [StoredBook] {
        try await all(where: "b.state IN ('pending', 'parsing', 'embedding') ORDER BY b.id", [])
    }

    /// Returns the book of a file, by the file's SHA-256.
    package func find(hash: Data) async throws -> StoredBook? {
        try await all(where: "b.hash = $1", [.bytes([UInt8](hash))]).first
    }

    private func all(where condition: String, _ values: [SQLValue]) async throws -> [StoredBook] {
        try await store.rows(BookRows.select(condition, in: store.dialect), values).compactMap { StoredBook($0) }
    }

    /// Whether there are any books.
    package func hasBooks() async throws -> Bool {
        try await !store.rows("SELECT 1 FROM gateway_books LIMIT 1", []).isEmpty
    }

    /// The bytes that the files of all books have together.
    package func fileBytes() async throws -> Int {
        // A sum of whole numbers is no whole number in PostgreSQL.
        let sum = "CAST(coalesce(sum(file_bytes), 0) AS \(store.dialect.integer))"
        return try await store.rows("SELECT \(sum) FROM gateway_books", []).first?.count(0) ?? 0
    }

    /// Stores a file as a new book.
    ///
    /// - Returns: The book, and whether it is new. A file that is stored already gives its book.
    package func add(_ draft: BookDraft) async throws -> (book: StoredBook, isNew: Bool) {
        try await store.transaction { session in
            let hash = SQLValue.bytes([UInt8](draft.hash))
            let row = try session.first(
                """
                INSERT INTO gateway_books (hash, state, title, format, source, content_type, file_bytes, is_private,
                added_at, updated_at) VALUES ($1, 'pending', $2, $3, $4, $5, $6, $7, $8, $8)
                ON CONFLICT (hash) DO NOTHING RETURNING id
                """,
                [
                    hash, .text(draft.title), .text(draft.format), .text(draft.source), .text(draft.contentType),
                    .count(draft.bytes), .integer(draft.isPrivate ? 1 : 0), .integer(try session.clock().seconds),
                ])
            guard let book = try BookRows.all(session, where: "b.hash = $1", [hash]).first else {
                throw StorageError(.failed, "the book cannot be read back")
            }
            return (book, row != nil)
        }
    }

    /// Changes a book's title or privacy.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func change(_ id: Int64, _ change: BookChange) async throws -> Book {
        try await store.transaction { session in
            try session.run(
                """
                UPDATE gateway_books SET given_title = coalesce($1, given_title), is_private = coalesce($2, is_private),
                updated_at = $3 WHERE id = $4
                """,
                [
                    .text(change.title), .integer(change.isPrivate.map { $0 ? 1 : 0 }),
                    .integer(try session.clock().seconds), .integer(id),
                ])
            return try BookRows.required(session, id).book
        }
    }

    /// Deletes a book with everything that was stored of it; the caller removes the file.
    ///
    /// - Returns: The deleted book.
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ id: Int64) async throws -> StoredBook {
        try await store.transaction { session in
            let book = try BookRows.required(session, id)
            // First, so that nobody stores contents of it meanwhile.
            try session.run("DELETE FROM gateway_books WHERE id = $1", [.integer(id)])
            try Self.deleteContents(of: id, session)
            try session.run("DELETE FROM gateway_book_positions WHERE book_id = $1", [.integer(id)])
            try session.run("UPDATE gateway_books SET edition_of = NULL WHERE edition_of = $1", [.integer(id)])
            return book
        }
    }

    static func deleteContents(of id: Int64, _ session: any SQLSession) throws {
        for table in ["covers", "texts", "pages", "layouts", "headings", "passages", "vectors"] {
            try session.run("DELETE FROM gateway_book_\(table) WHERE book_id = $1", [.integer(id)])
        }
    }
}

extension StoreClock {
    /// The time in seconds since 1970.
    var seconds: Int64 { now / 1000 }
}
