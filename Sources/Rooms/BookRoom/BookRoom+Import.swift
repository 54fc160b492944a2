import Database
import Foundation
package import GatewayAPI
package import Machine
import Text

/// The steps of an import.
extension BookRoom {
    /// The text of one row in bytes, at most.
    static let partBytes = 64 << 10
    /// The rows that one transaction writes, in bytes or in rows of pages and passages.
    private static let batchBytes = 4 << 20
    private static let batchRows = 2000

    // MARK: States

    /// Sets the state of a book that a worker holds.
    ///
    /// - Returns: Whether the worker holds the book.
    @discardableResult
    package func set(_ state: Book.State, of id: Int64, as worker: WorkerName) async throws -> Bool {
        try await store.transaction { session in
            try session.run(
                """
                UPDATE gateway_books SET state = $1, error_code = NULL, error_message = NULL, updated_at = $2
                WHERE id = $3 AND owner = $4
                """,
                [
                    .text(state.rawValue), .integer(try session.clock().seconds), .integer(id),
                    .text(worker.description),
                ]) > 0
        }
    }

    /// Marks the import of a book as failed.
    ///
    /// - Parameter worker: The holder; nil when nobody holds it.
    package func fail(_ id: Int64, _ failure: Book.Failure, as worker: WorkerName?) async throws {
        _ = try await store.transaction { session in
            try session.run(
                """
                UPDATE gateway_books SET state = 'failed', error_code = $1, error_message = $2, updated_at = $3
                WHERE id = $4 AND (owner = $5 OR owner IS NULL)
                """,
                [
                    .text(failure.code), .text(failure.error), .integer(try session.clock().seconds), .integer(id),
                    .text(worker?.description),
                ])
        }
    }

    /// Makes a failed book wait for another import.
    ///
    /// - Returns: The book; nil when it is in another state.
    /// - Throws: ``StorageError/Code/notFound``.
    package func retry(_ id: Int64) async throws -> StoredBook? {
        try await store.transaction { session in
            let changed = try session.run(
                """
                UPDATE gateway_books SET state = CASE WHEN revision > 0 THEN 'embedding' ELSE 'pending' END,
                error_code = NULL, error_message = NULL, updated_at = $1 WHERE id = $2 AND state = 'failed'
                """, [.integer(try session.clock().seconds), .integer(id)])
            let book = try BookRows.required(session, id)
            return changed > 0 ? book : nil
        }
    }

    /// Notes the job of a book's import.
    package func setJob(_ job: Int64, of id: Int64) async throws {
        try await store.run("UPDATE gateway_books SET job_id = $1 WHERE id = $2", [.integer(job), .integer(id)])
    }

    // MARK: Contents

    /// Stores what was read of a file, in transactions of a few megabytes. The last one makes the book readable and sets its
    /// state to `embedding`; rows that a killed process left are deleted first.
    ///
    /// - Returns: false when the worker no longer holds the book.
    package func store(_ contents: BookContents, of id: Int64, as worker: WorkerName) async throws -> Bool {
        if try await write(contents, of: id, as: worker) { return true }
        try await store.transaction { session in
            // The book was deleted meanwhile. Another holder's contents stay.
            if try BookRows.find(session, id) == nil { try Self.deleteContents(of: id, session) }
        }
        return false
    }

    private func write(_ contents: BookContents, of id: Int64, as worker: WorkerName) async throws -> Bool {
        /// Writes in one transaction, if the worker holds the book.
        func write(_ body: @escaping @Sendable (any SQLSession) throws -> Void) async throws -> Bool {
            try await store.relaxedTransaction { session in
                guard try Self.holds(id, worker, session) else { return false }
                try body(session)
                return true
            }
        }
        guard try await write({ try Self.deleteContents(of: id, $0) }) else { return false }
        for batch in Self.parts(of: contents.text) {
            let isHeld = try await write { session in
                for part in batch {
                    try session.run(
                        "INSERT INTO gateway_book_texts (book_id, start, text) VALUES ($1, $2, $3)",
                        [.integer(id), .count(part.lowerBound), .bytes(Array(contents.text[part]))])
                }
            }
            guard isHeld else { return false }
        }
        for start in stride(from: 0, to: contents.pages.count, by: Self.batchRows) {
            let rows = contents.pages[start..<min(contents.pages.count, start + Self.batchRows)]
            guard try await write({ session in for row in rows { try Self.insert(row, id, session) } }) else {
                return false
            }
        }
        for start in stride(from: 0, to: contents.passages.count, by: Self.batchRows) {
            let rows = contents.passages[start..<min(contents.passages.count, start + Self.batchRows)]
            guard try await write({ session in for row in rows { try Self.insert(row, id, session) } }) else {
                return false
            }
        }
        return try await store.transaction { session in
            guard try Self.holds(id, worker, session) else { return false }
            try Self.finish(contents, id, session)
            return true
        }
    }

    /// Deletes rows of books that are gone, which a process left that was killed while it stored them.
    package func sweep() async throws {
        try await store.transaction { session in
            for table in ["texts", "pages", "layouts", "headings", "passages", "vectors"] {
                try session.run(
                    """
                    DELETE FROM gateway_book_\(table) WHERE book_id IN (
                        SELECT DISTINCT book_id FROM gateway_book_\(table) EXCEPT SELECT id FROM gateway_books)
                    """)
            }
        }
    }

    private static func finish(_ contents: BookContents, _ id: Int64, _ session: any SQLSession) throws {
        let details = contents.details
        for (number, heading) in contents.headings.enumerated() {
            try session.run(
                """
                INSERT INTO gateway_book_headings (book_id, number, level, title, start, "end")
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .integer(id), .count(number), .count(heading.level), .text(heading.title),
                    .count(heading.range.lowerBound), .count(heading.range.upperBound),
                ])
        }
        if let cover = details.cover {
            try session.run(
                """
                INSERT INTO gateway_book_covers (book_id, image) VALUES ($1, $2)
                ON CONFLICT (book_id) DO UPDATE SET image = excluded.image
                """, [.integer(id), .bytes(cover)])
        }
        try session.run(
            """
            UPDATE gateway_books SET state = 'embedding', title = coalesce($1, title), authors = $2, language = $3,
            identifier = $4, format = $5, numbering = $6, notices = $7, text_bytes = $8, pages = $9, passages = $10,
            edition_of = $11, revision = revision + 1, error_code = NULL, error_message = NULL, updated_at = $12
            WHERE id = $13
            """,
            [
                .text(details.title), .text(try BookRows.json(details.authors)), .text(details.language),
                .text(details.identifier), .text(details.format), .text(details.numbering),
                .text(try BookRows.json(details.notices)), .count(contents.text.count), .count(contents.pages.count),
                .count(contents.passages.count), .integer(try edition(of: id, details, session)),
                .integer(try session.clock().seconds), .integer(id),
            ])
    }

    /// The latest other edition: a book with the same identifier, or with the same title and authors.
    private static func edition(of id: Int64, _ details: BookDetails, _ session: any SQLSession) throws -> Int64? {
        let words = session.dialect
        let rows = try session.rows(
            """
            SELECT id, identifier, \(words.bounded("title")), \(words.bounded("authors")) FROM gateway_books
            WHERE id < $1 AND revision > 0 ORDER BY id DESC
            """, [.integer(id)])
        let (title, authors) = (details.title.map(TextFolding.folded), details.authors.map(TextFolding.folded))
        return rows.first { row in
            if let identifier = details.identifier, row.text(1) == identifier { return true }
            guard let title, !authors.isEmpty, row.text(2).map(TextFolding.folded) == title else { return false }
            return BookRows.list(row.text(3)).map(TextFolding.folded) == authors
        }?.integer(0)
    }

    private static func insert(_ row: BookPageRow, _ id: Int64, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_book_pages (book_id, number, label, start, "end", width, height)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .integer(id), .count(row.number), .text(row.label), .count(row.range.lowerBound),
                .count(row.range.upperBound), .real(row.width), .real(row.height),
            ])
        try session.run(
            "INSERT INTO gateway_book_layouts (book_id, number, blocks, lines) VALUES ($1, $2, $3, $4)",
            [
                .integer(id), .count(row.number), .bytes(BookLayout.pack(row.blocks)),
                .bytes(row.lines.map { BookLayout.pack($0) }),
            ])
    }

    static func insert(_ row: BookPassageRow, _ id: Int64, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_book_passages (book_id, number, start, "end", page, last_page, heading, view)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .integer(id), .count(row.number), .count(row.range.lowerBound), .count(row.range.upperBound),
                .count(row.page), .count(row.lastPage), .count(row.heading), .text(row.view),
            ])
    }

    /// Parts of a text at scalar borders, in batches of one transaction.
    private static func parts(of text: [UInt8]) -> [[Range<Int>]] {
        var batches: [[Range<Int>]] = [[]]
        var start = 0
        var bytes = 0
        while start < text.count {
            var end = UTF8Border.before(min(text.count, start + partBytes), in: text)
            if end <= start { end = min(text.count, start + partBytes) }
            if bytes >= batchBytes {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(start..<end)
            bytes += end - start
            start = end
        }
        return batches
    }
}
