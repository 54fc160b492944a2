import Database
package import Foundation
package import GatewayAPI
package import Machine

/// A book with the columns that the API does not show.
package struct StoredBook: Sendable, Hashable {
    package var book: Book
    /// SHA-256 of the file.
    package var hash: Data
    package var contentType: String?
    /// The worker that holds the book; nil for none.
    package var owner: WorkerName?
    /// Changes with the contents; 0 for none.
    package var revision: Int64

    package var id: Int64 { book.id }
}

/// Reads the rows of books.
enum BookRows {
    /// The columns that ``StoredBook/init(_:)`` reads, in their order.
    private static func columns(_ words: SQLDialect) -> String {
        let space = "(SELECT value FROM \(words.meta) WHERE key = 'active_space')"
        return """
            b.id, b.hash, b.state, \(words.bounded("coalesce(b.given_title, b.title)")), \(words.bounded("b.authors")),
            b.language, b.format, \(words.bounded("b.source")), b.content_type, b.error_code,
            \(words.bounded("b.error_message")), b.file_bytes, b.text_bytes, b.pages, b.passages, b.numbering,
            \(words.bounded("b.notices")), b.is_private, b.edition_of, b.job_id, b.owner, b.revision, b.added_at,
            b.updated_at, (SELECT 1 FROM gateway_book_covers c WHERE c.book_id = b.id),
            CASE WHEN b.passages > 0 THEN (
                SELECT count(*) FROM gateway_book_vectors v WHERE v.book_id = b.id AND v.number < \(BookPassageRow.tails)
                AND v.space_id = CAST(\(space) AS \(words.integer))
            ) END, p."offset", p.updated_at, g.number, g.label
            """
    }

    /// Where the last byte that was read is.
    private static let lastRead = """
        CASE WHEN p."offset" < 1 THEN 0 WHEN p."offset" > b.text_bytes THEN b.text_bytes - 1 ELSE p."offset" - 1 END
        """

    /// Books with their positions, and the pages of these.
    private static let source = """
        gateway_books b LEFT JOIN gateway_book_positions p ON p.book_id = b.id
        LEFT JOIN gateway_book_pages g ON g.book_id = b.id AND g.number = \(page(of: "b.id", at: lastRead))
        """

    /// The number of the page that holds a byte of a book's text: the last one that begins at or before it and is not empty.
    static func page(of book: String, at offset: String) -> String {
        """
        (SELECT q.number FROM gateway_book_pages q WHERE q.book_id = \(book) AND q.start <= \(offset)
        ORDER BY q.start DESC, q."end" DESC, q.number LIMIT 1)
        """
    }

    static func select(_ condition: String, in words: SQLDialect) -> String {
        "SELECT \(columns(words)) FROM \(source) WHERE \(condition)"
    }

    static func all(
        _ session: any SQLSession, where condition: String, _ values: [SQLValue]
    ) throws -> [StoredBook] {
        try session.rows(select(condition, in: session.dialect), values).compactMap { StoredBook($0) }
    }

    static func find(_ session: any SQLSession, _ id: Int64) throws -> StoredBook? {
        try all(session, where: "b.id = $1", [.integer(id)]).first
    }

    static func required(_ session: any SQLSession, _ id: Int64) throws -> StoredBook {
        guard let book = try find(session, id) else { throw missing(id) }
        return book
    }

    static func missing(_ id: Int64) -> StorageError { StorageError(.notFound, "there is no book \(id)") }

    /// A list as JSON; nil for an empty one.
    static func json<Item: Encodable>(_ list: [Item]) throws -> String? {
        list.isEmpty ? nil : String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
    }

    /// A list of texts from JSON; empty for anything else.
    static func list(_ json: String?) -> [String] {
        json.flatMap { try? JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []
    }
}

extension StoredBook {
    /// Nil for a row that another program changed beyond reading.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let hash = row.bytes(1), let state = Book.State(rawValue: row.text(2) ?? "")
        else { return nil }
        var book = Book(
            id: id, title: row.text(3) ?? "", state: state, addedAt: Timestamp.iso8601(row.integer(22) ?? 0))
        book.updatedAt = Timestamp.iso8601(row.integer(23) ?? 0)
        book.authors = BookRows.list(row.text(4))
        book.language = row.text(5)
        book.format = row.text(6)
        book.source = row.text(7)
        if state == .failed {
            book.error = Book.Failure(
                error: row.text(10) ?? "the file cannot be read", code: row.text(9) ?? "failed")
        }
        book.bytes = max(0, row.count(11))
        book.textBytes = max(0, row.count(12))
        book.pages = max(0, row.count(13))
        book.passages = max(0, row.count(14))
        book.numbering = row.text(15)
        book.notices =
            row.bytes(16).flatMap { try? JSONDecoder().decode([Book.Notice].self, from: Data($0)) } ?? []
        book.isPrivate = row.bool(17)
        book.editionOf = row.integer(18)
        book.job = row.integer(19)
        book.hasCover = !row.isNull(24)
        book.embedded = row.count(25)
        if let offset = row.integer(26), book.textBytes > 0 {
            let read = min(max(0, Int(clamping: offset)), book.textBytes)
            book.position = Book.Position(
                offset: read, page: row.integer(28).map { Int(clamping: $0) } ?? 1, label: row.text(29),
                percent: (Double(read) / Double(book.textBytes) * 10_000).rounded() / 100,
                updatedAt: Timestamp.iso8601(row.integer(27) ?? 0))
        }
        self.init(
            book: book, hash: Data(hash), contentType: row.text(8), owner: row.text(20).map { WorkerName($0) },
            revision: row.integer(21) ?? 0)
    }
}
