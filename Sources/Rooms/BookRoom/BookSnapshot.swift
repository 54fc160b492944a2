package import Database
package import GatewayAPI
import Text

/// The contents of books as one transaction sees them. Only the rows of the wanted part are loaded. Methods throw like
/// ``BookRoom``'s.
package struct BookSnapshot {
    /// What a result says of its book.
    package struct Name: Sendable, Hashable {
        package var title: String
        package var isPrivate: Bool
    }

    /// The text that is read at once for passages: never more than a look for each of them reads.
    private static func span(of count: Int) -> Int { min(4 << 20, count * BookRoom.partBytes) }

    private let session: any SQLSession
    private var words: SQLDialect { session.dialect }

    package init(_ session: any SQLSession) { self.session = session }

    /// Returns the name of a book; nil when there is none with that id.
    package func name(of id: Int64) throws -> Name? {
        try session.first(
            "SELECT \(words.bounded("coalesce(given_title, title)")), is_private FROM gateway_books WHERE id = $1",
            [.integer(id)]
        ).map { Name(title: $0.text(0) ?? "", isPrivate: $0.bool(1)) }
    }

    /// Returns the titles of books, latest first, each cut to 1,024 bytes at most.
    package func titles(limit: Int) throws -> [(id: Int64, title: String)] {
        try session.rows(
            """
            SELECT id, \(words.bounded("coalesce(given_title, title)", 1024)) FROM gateway_books
            ORDER BY id DESC LIMIT $1
            """, [.count(limit)]
        ).compactMap { row in
            guard let id = row.integer(0), let title = row.text(1) else { return nil }
            return (id, title)
        }
    }

    /// Returns the bytes of a range of a book's text. The ends move outwards to scalar borders, and to the text's ends.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book without text.
    package func text(of id: Int64, in range: Range<Int>) throws -> (range: Range<Int>, text: String) {
        Self.part(range, of: try parts(of: id, in: range))
    }

    /// The stored parts that hold a range of a book's text, and where they begin.
    private func parts(of id: Int64, in range: Range<Int>) throws -> (base: Int, bytes: [UInt8]) {
        let low = max(0, range.lowerBound)
        let rows = try session.rows(
            """
            SELECT start, \(words.bounded("text")) FROM gateway_book_texts WHERE book_id = $1 AND start < $2
            AND start >= (SELECT max(start) FROM gateway_book_texts WHERE book_id = $1 AND start <= $3) ORDER BY start
            """, [.integer(id), .count(max(range.upperBound, low + 1)), .count(low)])
        guard let base = rows.first?.count(0) else { throw StorageError(.notFound, "book \(id) has no text") }
        var bytes: [UInt8] = []
        for row in rows {
            guard row.count(0) == base + bytes.count else { break }
            bytes += row.bytes(1) ?? []
        }
        return (base, bytes)
    }

    private static func part(
        _ range: Range<Int>, of parts: (base: Int, bytes: [UInt8])
    ) -> (range: Range<Int>, text: String) {
        let (base, bytes) = parts
        let start = UTF8Border.before(min(max(0, max(0, range.lowerBound) - base), bytes.count), in: bytes)
        let end = UTF8Border.after(min(max(start, max(0, range.upperBound) - base), bytes.count), in: bytes)
        return (base + start..<base + end, String(decoding: bytes[start..<end], as: UTF8.self))
    }

    /// Returns passages of a book by their numbers, in order of the numbers.
    package func passages(of id: Int64, numbers: [Int]) throws -> [BookPassageText] {
        let found = try numbers.compactMap { number in
            try session.first(
                "SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = $1 AND number = $2",
                [.integer(id), .count(number)])
        }
        return try texts(found.compactMap { BookPassageRow($0) }, of: id)
    }

    /// Returns the blocks that touch a range of the text, in order.
    package func blocks(of id: Int64, touching range: Range<Int>) throws -> [BookPage.Block] {
        let (first, last) = (BookRows.page(of: "$1", at: "$2"), BookRows.page(of: "$1", at: "$3"))
        let layouts = try session.rows(
            """
            SELECT \(words.bounded("blocks")) FROM gateway_book_layouts
            WHERE book_id = $1 AND number BETWEEN coalesce(\(first), 1) AND coalesce(\(last), 1)
            ORDER BY number LIMIT 1000
            """,
            [.integer(id), .count(range.lowerBound), .count(max(range.lowerBound, range.upperBound - 1))])
        var blocks: [BookPage.Block] = []
        for layout in layouts {
            for block in BookLayout.blocks(layout.bytes(0), textBytes: .max)
            where block.start < range.upperBound && block.end > range.lowerBound
                && block.start >= blocks.last?.end ?? 0
            {
                blocks.append(block)
            }
        }
        return blocks
    }

    /// Returns the page that holds a byte of the text: the last one that begins at or before it and is not empty. Nil when there
    /// is none.
    package func page(of offset: Int, in id: Int64) throws -> (number: Int, label: String?)? {
        try session.first(
            """
            SELECT number, label FROM gateway_book_pages
            WHERE book_id = $1 AND number = \(BookRows.page(of: "$1", at: "$2"))
            """, [.integer(id), .count(offset)]
        ).map { ($0.count(0), $0.text(1)) }
    }

    /// The texts of passages as models read them.
    func texts(_ passages: [BookPassageRow], of id: Int64) throws -> [BookPassageText] {
        let ranges = passages.filter { $0.view == nil }.map(\.range)
        let span = (ranges.map(\.lowerBound).min() ?? 0)..<(ranges.map(\.upperBound).max() ?? 0)
        // One look for passages that follow each other.
        let parts =
            !ranges.isEmpty && span.count <= Self.span(of: ranges.count) ? try self.parts(of: id, in: span) : nil
        var headings: [Int: String] = [:]
        return try passages.map { passage in
            if let heading = passage.heading, headings[heading] == nil {
                headings[heading] = try session.first(
                    "SELECT \(words.bounded("title")) FROM gateway_book_headings WHERE book_id = $1 AND number = $2",
                    [.integer(id), .count(heading)])?.text(0)
            }
            let text =
                try passage.view ?? parts.map { Self.part(passage.range, of: $0).text }
                ?? self.text(of: id, in: passage.range).text
            return BookPassageText(
                book: id, passage: passage, text: text, heading: passage.heading.flatMap { headings[$0] })
        }
    }
}
