import Foundation
import GRDB
package import GatewayAPI
import Text

/// The contents of books as one transaction sees them. Only the rows of the wanted part are loaded. Each method throws
/// ``StorageError`` or the database's error. One search asks for dozens of parts, so the statements are compiled once a connection.
package struct BookSnapshot {
    /// What a result says of its book.
    package struct Name: Sendable, Hashable {
        package var title: String
        package var isPrivate: Bool
    }

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns the name of a book; nil when there is none with that id.
    package func name(of id: Int64) throws -> Name? {
        try database.compiledRow(
            "SELECT \(ValueLimit.bounded("coalesce(given_title, title)")), is_private FROM gateway_books WHERE id = ?",
            [id]
        ).map { Name(title: $0.text(0) ?? "", isPrivate: $0.count(1) != 0) }
    }

    /// Returns the bytes of a range of a book's text. The ends move outwards to scalar borders, and to the text's ends.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book without text.
    package func text(of id: Int64, in range: Range<Int>) throws -> (range: Range<Int>, text: String) {
        // A scalar has at most four bytes.
        let (low, high) = (max(0, range.lowerBound), max(0, range.upperBound))
        let first = try database.compiledRow(
            "SELECT max(start) FROM gateway_book_texts WHERE book_id = ? AND start <= ?", [id, low])?.integer(0)
        guard let first else { throw StorageError(.notFound, "book \(id) has no text") }
        let parts = try database.compiledRows(
            """
            SELECT start, \(ValueLimit.bounded("text", ValueLimit.field)) FROM gateway_book_texts
            WHERE book_id = ? AND start >= ? AND start < ? ORDER BY start
            """, [id, first, max(high, low + 1)])
        var bytes: [UInt8] = []
        let base = Int(clamping: first)
        for part in parts {
            guard Int(clamping: part.integer(0) ?? 0) == base + bytes.count else { break }
            bytes += part.bytes(1) ?? Data()
        }
        let start = UTF8Border.before(min(max(0, low - base), bytes.count), in: bytes)
        let end = UTF8Border.after(min(max(start, high - base), bytes.count), in: bytes)
        return (base + start..<base + end, String(decoding: bytes[start..<end], as: UTF8.self))
    }

    /// Returns passages of a book by their numbers, in order of the numbers.
    package func passages(of id: Int64, numbers: [Int]) throws -> [BookPassageText] {
        let found = try numbers.compactMap { number in
            try database.compiledRow(
                "SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = ? AND number = ?",
                [id, number])
        }
        return try texts(found.compactMap { BookPassageRow($0) }, of: id)
    }

    /// Returns the blocks that touch a range of the text, in order.
    package func blocks(of id: Int64, touching range: Range<Int>) throws -> [BookPage.Block] {
        let first = try page(of: range.lowerBound, in: id)?.number ?? 1
        let last = try page(of: max(range.lowerBound, range.upperBound - 1), in: id)?.number ?? 1
        let layouts = try database.compiledRows(
            """
            SELECT \(ValueLimit.bounded("blocks")) FROM gateway_book_layouts
            WHERE book_id = ? AND number BETWEEN ? AND ? ORDER BY number LIMIT 1000
            """, [id, first, last])
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
        try database.compiledRow(
            """
            SELECT number, label FROM gateway_book_pages WHERE book_id = ? AND start <= ?
            ORDER BY start DESC, end DESC, number LIMIT 1
            """, [id, offset]
        ).map { ($0.count(0), $0.text(1)) }
    }

    /// The texts of passages as models read them.
    func texts(_ passages: [BookPassageRow], of id: Int64) throws -> [BookPassageText] {
        var headings: [Int: String] = [:]
        return try passages.map { passage in
            if let heading = passage.heading, headings[heading] == nil {
                headings[heading] = try database.compiledRow(
                    "SELECT \(ValueLimit.bounded("title")) FROM gateway_book_headings WHERE book_id = ? AND number = ?",
                    [id, heading])?.text(0)
            }
            let text = try passage.view ?? self.text(of: id, in: passage.range).text
            return BookPassageText(
                book: id, passage: passage, text: text, heading: passage.heading.flatMap { headings[$0] })
        }
    }
}
