import Database
package import GatewayAPI

/// Reads the contents of books, each method in a transaction of its own.
extension BookRoom {
    /// Runs several reads in one transaction.
    ///
    /// - Throws: What the reads throw.
    package func reading<Value: Sendable>(
        _ body: @escaping @Sendable (BookSnapshot) throws -> Value
    ) async throws -> Value {
        try await store.snapshot { try body(BookSnapshot($0)) }
    }

    /// Returns the bytes of a range of a book's text. The ends move outwards to scalar borders, and to the text's ends.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book without text.
    package func text(of id: Int64, in range: Range<Int>) async throws -> (range: Range<Int>, text: String) {
        try await reading { try $0.text(of: id, in: range) }
    }

    /// Returns the first stored part of a book's text that begins at or after an offset; nil behind the last one.
    package func nextPart(of id: Int64, from offset: Int) async throws -> (start: Int, text: [UInt8])? {
        try await store.rows(
            """
            SELECT start, \(store.dialect.bounded("text")) FROM gateway_book_texts
            WHERE book_id = $1 AND start >= $2 ORDER BY start LIMIT 1
            """, [.integer(id), .count(offset)]
        ).first.map { ($0.count(0), $0.bytes(1) ?? []) }
    }

    /// Returns a page with its text and layout.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book or a page that does not exist.
    package func page(_ number: Int, of id: Int64) async throws -> BookPage {
        try await store.snapshot { session in
            let (book, words) = (try BookRows.required(session, id).book, session.dialect)
            let row = try session.first(
                """
                SELECT p.label, p.start, p."end", p.width, p.height, \(words.bounded("l.blocks")),
                \(words.bounded("l.lines")) FROM gateway_book_pages p
                LEFT JOIN gateway_book_layouts l ON l.book_id = p.book_id AND l.number = p.number
                WHERE p.book_id = $1 AND p.number = $2
                """, [.integer(id), .count(number)])
            guard let row else {
                throw StorageError(.notFound, "book \(id) has no page \(number); it has \(book.pages) pages")
            }
            let (start, end) = (row.count(1), row.count(2))
            let part =
                end > start
                ? try BookSnapshot(session).text(of: id, in: start..<end)
                : (range: start..<max(start, end), text: "")
            var page = BookPage(
                book: id, page: number, label: row.text(0), total: book.pages, start: part.range.lowerBound,
                end: part.range.upperBound, text: part.text,
                blocks: BookLayout.blocks(row.bytes(5), textBytes: book.textBytes),
                isEstimated: book.numbering == "estimated")
            page.lines = BookLayout.lines(row.bytes(6), textBytes: book.textBytes)
            (page.width, page.height) = (row.real(3), row.real(4))
            return page
        }
    }

    /// Returns the physical number of the first page with a label; nil when there is none.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func page(labelled label: String, of id: Int64) async throws -> Int? {
        try await store.snapshot { session in
            _ = try BookRows.required(session, id)
            return try session.first(
                "SELECT number FROM gateway_book_pages WHERE book_id = $1 AND label = $2 ORDER BY number LIMIT 1",
                [.integer(id), .text(label)])?.count(0)
        }
    }

    /// Returns the number and label of the pages that hold some bytes of the text, in the order of the offsets.
    package func pages(of offsets: [Int], in id: Int64) async throws -> [(number: Int, label: String?)] {
        try await reading { books in try offsets.map { try books.page(of: $0, in: id) ?? (1, nil) } }
    }

    /// Returns the range of a page; nil when there is none with that number.
    package func range(ofPage number: Int, in id: Int64) async throws -> Range<Int>? {
        try await store.rows(
            "SELECT start, \"end\" FROM gateway_book_pages WHERE book_id = $1 AND number = $2",
            [.integer(id), .count(number)]
        ).first.map { $0.count(0)..<max($0.count(0), $0.count(1)) }
    }

    /// Returns the headings of a book.
    ///
    /// - Parameter limit: Only headings that begin before this offset, with sections that end there at the latest; nil for
    ///   all.
    /// - Throws: ``StorageError/Code/notFound``.
    package func outline(of id: Int64, before limit: Int?) async throws -> [BookOutline.Heading] {
        try await store.snapshot { session in
            _ = try BookRows.required(session, id)
            let rows = try session.rows(
                """
                SELECT h.level, \(session.dialect.bounded("h.title")), h.start, h."end", p.number, p.label
                FROM gateway_book_headings h LEFT JOIN gateway_book_pages p ON p.book_id = h.book_id
                    AND p.number = \(BookRows.page(of: "h.book_id", at: "h.start"))
                WHERE h.book_id = $1 AND h.start < $2 ORDER BY h.number LIMIT 20000
                """, [.integer(id), .count(limit ?? .max)])
            return rows.map { row in
                let start = row.count(2)
                return BookOutline.Heading(
                    level: min(6, max(1, row.count(0))), title: row.text(1) ?? "",
                    page: row.integer(4).map { Int(clamping: $0) } ?? 1, label: row.text(5), start: start,
                    end: min(max(start, row.count(3)), limit ?? .max))
            }
        }
    }

    /// Returns the blocks that touch a range of the text, in order.
    package func blocks(of id: Int64, touching range: Range<Int>) async throws -> [BookPage.Block] {
        try await reading { try $0.blocks(of: id, touching: range) }
    }

    /// Returns the cover; nil when there is none.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book that does not exist.
    package func cover(of id: Int64) async throws -> [UInt8]? {
        try await store.snapshot { session in
            _ = try BookRows.required(session, id)
            return try session.first(
                "SELECT \(session.dialect.bounded("image", 4 << 20)) FROM gateway_book_covers WHERE book_id = $1",
                [.integer(id)])?.bytes(0)
        }
    }
}
