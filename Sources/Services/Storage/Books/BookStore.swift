package import Foundation
import GRDB
package import GatewayAPI
import Text

/// Reads and writes books.
package struct BookStore: Sendable {
    let database: GatewayDatabase

    /// Returns a page of books, latest first.
    ///
    /// - Parameter text: Only books whose title, authors or source contain this text, folded; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(containing text: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<Book> {
        try cursor?.check(numbers: 1)
        let needle = text.map { FoldedNeedle(folded: TextFolding.folded($0)) }
        return try await database.read { database in
            var found: [(item: Book, cursor: PageCursor)] = []
            var before = cursor?.numbers[0] ?? .max
            while found.count <= limit {
                let batch = try BookRows.all(
                    database, where: "b.id < ? ORDER BY b.id DESC LIMIT ?", [before, limit + 1])
                let rows = try Scalar.integers(
                    database, sql: "SELECT id FROM gateway_books WHERE id < ? ORDER BY id DESC LIMIT ?",
                    arguments: [before, limit + 1])
                for stored in batch {
                    let book = stored.book
                    let texts = [book.title] + book.authors + [book.source ?? ""]
                    if let needle, !texts.contains(where: { needle.isIn($0) }) { continue }
                    found.append((book, PageCursor(book.id)))
                }
                guard let last = rows.last, rows.count > limit else { break }
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
        try await database.read { try BookRows.required($0, id) }
    }

    /// Returns all books with the columns that the API does not show, oldest first.
    package func all() async throws -> [StoredBook] {
        try await database.read { try BookRows.all($0, where: "1 ORDER BY b.id", []) }
    }

    /// Whether there are any books.
    package func hasBooks() async throws -> Bool {
        try await database.read { try $0.compiledRow("SELECT 1 FROM gateway_books LIMIT 1") != nil }
    }

    /// Returns the titles of books, latest first.
    static func titles(limit: Int, _ database: Database) throws -> [(id: Int64, title: String)] {
        try database.compiledRows(
            """
            SELECT id, \(ValueLimit.bounded("coalesce(given_title, title)", 1024)) FROM gateway_books
            ORDER BY id DESC LIMIT ?
            """, [limit]
        ).compactMap { row in
            guard let id = row.integer(0), let title = row.text(1) else { return nil }
            return (id, title)
        }
    }

    /// Returns the book of a file, by the file's SHA-256.
    package func find(hash: Data) async throws -> StoredBook? {
        try await database.read { try BookRows.all($0, where: "b.hash = ?", [hash]).first }
    }

    /// The bytes that the files of all books have together.
    package func fileBytes() async throws -> Int {
        try await database.read {
            try Scalar.count($0, sql: "SELECT coalesce(sum(file_bytes), 0) FROM gateway_books") ?? 0
        }
    }

    /// Stores a file as a new book.
    ///
    /// - Returns: The book, and whether it is new. A file that is stored already gives its book.
    package func add(_ draft: BookDraft) async throws -> (book: StoredBook, isNew: Bool) {
        try await database.write { database in
            if let known = try BookRows.all(database, where: "b.hash = ?", [draft.hash]).first {
                return (known, false)
            }
            try database.execute(
                sql: """
                    INSERT INTO gateway_books (hash, state, title, format, source, content_type, file_bytes, is_private,
                    added_at, updated_at) VALUES (?1, 'pending', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
                    """,
                arguments: [
                    draft.hash, draft.title, draft.format, draft.source, draft.contentType, draft.bytes,
                    draft.isPrivate, Timestamp.seconds,
                ])
            return (try BookRows.required(database, database.lastInsertedRowID), true)
        }
    }

    /// Changes a book's title or privacy.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func change(_ id: Int64, _ change: BookChange) async throws -> Book {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_books SET given_title = coalesce(?, given_title), is_private = coalesce(?, is_private),
                    updated_at = ? WHERE id = ?
                    """, arguments: [change.title, change.isPrivate, Timestamp.seconds, id])
            return try BookRows.required(database, id).book
        }
    }

    /// Deletes a book with everything that was stored of it; the caller removes the file.
    ///
    /// - Returns: The deleted book.
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ id: Int64) async throws -> StoredBook {
        try await database.write { database in
            let book = try BookRows.required(database, id)
            try Self.deleteContents(of: id, database)
            try database.execute(sql: "DELETE FROM gateway_book_positions WHERE book_id = ?", arguments: [id])
            try database.execute(sql: "DELETE FROM gateway_books WHERE id = ?", arguments: [id])
            try database.execute(
                sql: "UPDATE gateway_books SET edition_of = NULL WHERE edition_of = ?", arguments: [id])
            return book
        }
    }

    static func deleteContents(of id: Int64, _ database: Database) throws {
        for table in ["covers", "texts", "pages", "layouts", "headings", "passages", "vectors"] {
            try database.execute(sql: "DELETE FROM gateway_book_\(table) WHERE book_id = ?", arguments: [id])
        }
    }
}

extension Timestamp {
    /// The current time in seconds since 1970.
    static var seconds: Int64 { Int64(Date.now.timeIntervalSince1970) }
}
