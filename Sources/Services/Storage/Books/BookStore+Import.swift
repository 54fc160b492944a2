import Foundation
import GRDB
package import GatewayAPI
package import Machine
import Text

/// The steps of an import. One process works on a book at a time: it holds the book until it releases it or ends.
extension BookStore {
    /// The text of one row in bytes, at most.
    static let partBytes = 64 << 10
    /// The rows that one transaction writes, in bytes or in rows of pages and passages.
    private static let batchBytes = 4 << 20
    private static let batchRows = 2000

    /// Takes a book for work. A holder whose process has ended loses it.
    ///
    /// - Returns: The book; nil when another live holder has it.
    /// - Throws: ``StorageError/Code/notFound``.
    package func claim(_ id: Int64, as worker: WorkerName) async throws -> StoredBook? {
        // Whether a process lives is asked of the system, which takes no transaction.
        let owner = try await stored(id).owner
        guard owner == nil || owner == worker || owner?.isGone == true else { return nil }
        return try await database.write { database in
            try database.execute(
                sql: "UPDATE gateway_books SET owner = ? WHERE id = ? AND owner IS ?",
                arguments: [worker.description, id, owner?.description])
            guard database.changesCount > 0 else { return nil }
            return try BookRows.required(database, id)
        }
    }

    /// Releases a book that a worker holds.
    package func release(_ id: Int64, as worker: WorkerName) async throws {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: "UPDATE gateway_books SET owner = NULL WHERE id = ? AND owner = ?",
                arguments: [id, worker.description])
        }
    }

    /// Whether a live process works on a book.
    package func isHeld(_ id: Int64) async throws -> Bool {
        guard let owner = try await stored(id).owner else { return false }
        return !owner.isGone
    }

    /// Sets the state of a book that a worker holds.
    ///
    /// - Returns: Whether the worker holds the book.
    @discardableResult
    package func set(_ state: Book.State, of id: Int64, as worker: WorkerName) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_books SET state = ?, error_code = NULL, error_message = NULL, updated_at = ?
                    WHERE id = ? AND owner = ?
                    """, arguments: [state.rawValue, Timestamp.seconds, id, worker.description])
            return database.changesCount > 0
        }
    }

    /// Marks the import of a book as failed.
    ///
    /// - Parameter worker: The holder; nil when nobody holds it.
    package func fail(_ id: Int64, _ failure: Book.Failure, as worker: WorkerName?) async throws {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_books SET state = 'failed', error_code = ?, error_message = ?, updated_at = ?
                    WHERE id = ? AND (owner = ? OR owner IS NULL)
                    """,
                arguments: [failure.code, failure.error, Timestamp.seconds, id, worker?.description])
        }
    }

    /// Makes a failed book wait for another import.
    ///
    /// - Returns: The book; nil when it is in another state.
    /// - Throws: ``StorageError/Code/notFound``.
    package func retry(_ id: Int64) async throws -> StoredBook? {
        try await database.write { database in
            let book = try BookRows.required(database, id)
            guard book.book.state == .failed else { return nil }
            let state: Book.State = book.revision > 0 ? .embedding : .pending
            try database.execute(
                sql: """
                    UPDATE gateway_books SET state = ?, error_code = NULL, error_message = NULL, updated_at = ?
                    WHERE id = ?
                    """, arguments: [state.rawValue, Timestamp.seconds, id])
            return try BookRows.required(database, id)
        }
    }

    /// Notes the job of a book's import.
    package func setJob(_ job: Int64, of id: Int64) async throws {
        try await database.write { database in
            try database.execute(sql: "UPDATE gateway_books SET job_id = ? WHERE id = ?", arguments: [job, id])
        }
    }

    /// Stores what was read of a file, in transactions of a few megabytes. The last one makes the book readable and sets its
    /// state to `embedding`; rows that a killed process left are deleted first.
    ///
    /// - Returns: false when the worker no longer holds the book.
    package func store(_ contents: BookContents, of id: Int64, as worker: WorkerName) async throws -> Bool {
        try await database.write { try Self.deleteContents(of: id, $0) }
        for batch in Self.parts(of: contents.text) {
            try await database.writeRelaxed { database in
                for part in batch {
                    try database.execute(
                        sql: "INSERT INTO gateway_book_texts (book_id, start, text) VALUES (?, ?, ?)",
                        arguments: [id, part.lowerBound, Data(contents.text[part])])
                }
            }
        }
        for start in stride(from: 0, to: contents.pages.count, by: Self.batchRows) {
            let rows = contents.pages[start..<min(contents.pages.count, start + Self.batchRows)]
            try await database.writeRelaxed { database in for row in rows { try Self.insert(row, id, database) } }
        }
        for start in stride(from: 0, to: contents.passages.count, by: Self.batchRows) {
            let rows = contents.passages[start..<min(contents.passages.count, start + Self.batchRows)]
            try await database.writeRelaxed { database in for row in rows { try Self.insert(row, id, database) } }
        }
        return try await database.write { database in
            let isStored = try Self.finish(contents, id, worker, database)
            // The book was deleted meanwhile.
            if !isStored, try BookRows.find(database, id) == nil { try Self.deleteContents(of: id, database) }
            return isStored
        }
    }

    /// Deletes rows of books that are gone, which a process left that was killed while it stored them.
    package func sweep() async throws {
        try await database.write { database in
            for table in ["texts", "pages", "layouts", "headings", "passages", "vectors"] {
                try database.execute(
                    sql: """
                        DELETE FROM gateway_book_\(table) WHERE book_id IN (
                            SELECT DISTINCT book_id FROM gateway_book_\(table) EXCEPT SELECT id FROM gateway_books)
                        """)
            }
        }
    }

    private static func finish(
        _ contents: BookContents, _ id: Int64, _ worker: WorkerName, _ database: Database
    ) throws -> Bool {
        let details = contents.details
        for (number, heading) in contents.headings.enumerated() {
            try database.execute(
                sql: """
                    INSERT INTO gateway_book_headings (book_id, number, level, title, start, end)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id, number, heading.level, heading.title, heading.range.lowerBound, heading.range.upperBound,
                ])
        }
        if let cover = details.cover {
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_book_covers (book_id, image) VALUES (?, ?)",
                arguments: [id, Data(cover)])
        }
        let notices = details.notices.isEmpty ? nil : try JSONEncoder().encode(details.notices)
        let edition = try edition(of: id, details, database)
        try database.execute(
            sql: """
                UPDATE gateway_books SET state = 'embedding', title = coalesce(?, title), authors = ?, language = ?,
                identifier = ?, format = ?, numbering = ?, notices = ?, text_bytes = ?, pages = ?, passages = ?,
                edition_of = ?, revision = revision + 1, error_code = NULL, error_message = NULL, updated_at = ?
                WHERE id = ? AND owner = ?
                """,
            arguments: [
                details.title, StoredList.encode(details.authors), details.language, details.identifier, details.format,
                details.numbering, notices.map { String(decoding: $0, as: UTF8.self) }, contents.text.count,
                contents.pages.count, contents.passages.count, edition, Timestamp.seconds, id, worker.description,
            ])
        return database.changesCount > 0
    }

    /// The latest other edition: a book with the same identifier, or with the same title and authors.
    private static func edition(of id: Int64, _ details: BookDetails, _ database: Database) throws -> Int64? {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, identifier, \(ValueLimit.bounded("title")), \(ValueLimit.bounded("authors"))
                FROM gateway_books WHERE id < ? AND revision > 0 ORDER BY id DESC
                """, arguments: [id])
        let (title, authors) = (details.title.map(TextFolding.folded), details.authors.map(TextFolding.folded))
        while let row = try rows.next() {
            if let identifier = details.identifier, row.text(1) == identifier { return row.integer(0) }
            guard let title, !authors.isEmpty, row.text(2).map(TextFolding.folded) == title,
                StoredList.decode(row.text(3)).map(TextFolding.folded) == authors
            else { continue }
            return row.integer(0)
        }
        return nil
    }

    private static func insert(_ row: BookPageRow, _ id: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_book_pages (book_id, number, label, start, end, width, height)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, row.number, row.label, row.range.lowerBound, row.range.upperBound, row.width, row.height,
            ])
        try database.execute(
            sql: "INSERT INTO gateway_book_layouts (book_id, number, blocks, lines) VALUES (?, ?, ?, ?)",
            arguments: [id, row.number, BookLayout.pack(row.blocks), row.lines.map { BookLayout.pack($0) }])
    }

    static func insert(_ row: BookPassageRow, _ id: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_book_passages (book_id, number, start, end, page, last_page, heading, view)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                id, row.number, row.range.lowerBound, row.range.upperBound, row.page, row.lastPage, row.heading,
                row.view,
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
