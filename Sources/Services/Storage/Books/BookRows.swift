package import Foundation
import GRDB
package import GatewayAPI
package import Machine
import Text

/// A book with the columns that the API does not show.
package struct StoredBook: Sendable, Hashable {
    package var book: Book
    /// SHA-256 of the file.
    package var hash: Data
    package var contentType: String?
    /// The process that works on the book; nil for none.
    package var owner: WorkerName?
    /// Changes with the contents; 0 for none.
    package var revision: Int64

    package var id: Int64 { book.id }
}

/// Reads the rows of books.
enum BookRows {
    /// The largest cover, list of authors or list of notices in bytes.
    private static let columns = """
        b.id, b.hash, b.state, \(ValueLimit.bounded("coalesce(b.given_title, b.title)")) AS title,
        \(ValueLimit.bounded("b.authors")) AS authors, b.language, b.format, \(ValueLimit.bounded("b.source")) AS source,
        b.content_type, b.error_code, \(ValueLimit.bounded("b.error_message")) AS error_message, b.file_bytes,
        b.text_bytes, b.pages, b.passages, b.numbering, \(ValueLimit.bounded("b.notices")) AS notices, b.is_private,
        b.edition_of, b.job_id, b.owner, b.revision, b.added_at, b.updated_at,
        (SELECT 1 FROM gateway_book_covers c WHERE c.book_id = b.id) AS has_cover,
        p.offset AS position, p.updated_at AS position_at
        """

    static let source = "gateway_books b LEFT JOIN gateway_book_positions p ON p.book_id = b.id"

    static func all(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [StoredBook] {
        let space = try StoredSpace.active(in: database)?.id
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(columns) FROM \(source) WHERE \(condition)", arguments: arguments)
        return try rows.compactMap { try stored($0, space, database) }
    }

    static func find(_ database: Database, _ id: Int64) throws -> StoredBook? {
        try all(database, where: "b.id = ?", [id]).first
    }

    static func required(_ database: Database, _ id: Int64) throws -> StoredBook {
        guard let book = try find(database, id) else { throw missing(id) }
        return book
    }

    static func missing(_ id: Int64) -> StorageError { StorageError(.notFound, "there is no book \(id)") }

    /// Nil for a row that another program changed beyond reading.
    private static func stored(_ row: Row, _ space: SpaceID?, _ database: Database) throws -> StoredBook? {
        guard let id = row.integer("id"), let hash = row.bytes("hash"),
            let state = Book.State(rawValue: row.text("state") ?? "")
        else { return nil }
        var book = Book(
            id: id, title: row.text("title") ?? "", state: state, addedAt: time(row.integer("added_at")))
        book.updatedAt = time(row.integer("updated_at"))
        book.authors = StoredList.decode(row.text("authors"))
        book.language = row.text("language")
        book.format = row.text("format")
        book.source = row.text("source")
        if state == .failed {
            book.error = Book.Failure(
                error: row.text("error_message") ?? "the file cannot be read", code: row.text("error_code") ?? "failed")
        }
        book.bytes = max(0, row.count("file_bytes"))
        book.textBytes = max(0, row.count("text_bytes"))
        book.pages = max(0, row.count("pages"))
        book.passages = max(0, row.count("passages"))
        book.numbering = row.text("numbering")
        book.notices =
            row.bytes("notices").flatMap { try? JSONDecoder().decode([Book.Notice].self, from: $0) } ?? []
        book.isPrivate = row.count("is_private") != 0
        book.editionOf = row.integer("edition_of")
        book.job = row.integer("job_id")
        book.hasCover = row.hasValue("has_cover")
        if let space, book.passages > 0 {
            book.embedded =
                try Scalar.count(
                    database,
                    sql: """
                        SELECT count(*) FROM gateway_book_vectors WHERE space_id = ? AND book_id = ? AND number < ?
                        """, arguments: [space, id, BookPassageRow.tails]) ?? 0
        }
        if let offset = row.integer("position"), book.textBytes > 0 {
            book.position = try position(
                Int(clamping: offset), at: row.integer("position_at"), of: book, database)
        }
        return StoredBook(
            book: book, hash: hash, contentType: row.text("content_type"),
            owner: row.text("owner").map { WorkerName($0) }, revision: row.integer("revision") ?? 0)
    }

    private static func position(
        _ offset: Int, at time: Int64?, of book: Book, _ database: Database
    ) throws -> Book.Position {
        let offset = min(max(0, offset), book.textBytes)
        let page = try BookSnapshot(database).page(of: max(0, offset - 1), in: book.id)
        return Book.Position(
            offset: offset, page: page?.number ?? 1, label: page?.label,
            percent: (Double(offset) / Double(book.textBytes) * 10_000).rounded() / 100, updatedAt: Self.time(time))
    }

    static func time(_ seconds: Int64?) -> String { Timestamp.iso8601(seconds ?? 0) }
}

/// Packs the blocks and lines of a page into bytes, little-endian: 9 for a block, 24 for a line.
enum BookLayout {
    /// The kinds of blocks by their numbers in the database; new ones are appended.
    private static let kinds = [
        "paragraph", "heading", "list_item", "quote", "code", "table", "caption", "footnote", "running_head",
    ]

    static func pack(_ blocks: [BookPage.Block]) -> Data {
        var data = Data(capacity: blocks.count * 9)
        for block in blocks {
            data.append(UInt8(kinds.firstIndex(of: block.kind) ?? 0))
            append(block.start, to: &data)
            append(block.end, to: &data)
        }
        return data
    }

    static func pack(_ lines: [BookPage.Line]) -> Data {
        var data = Data(capacity: lines.count * 24)
        for line in lines {
            append(line.start, to: &data)
            append(line.end, to: &data)
            for index in 0..<4 {
                let value = index < line.box.count ? Float(line.box[index]) : 0
                append(Int(value.bitPattern), to: &data)
            }
        }
        return data
    }

    /// Another program may have changed the bytes: what makes no sense is left out.
    static func blocks(_ data: Data?, textBytes: Int) -> [BookPage.Block] {
        let bytes = [UInt8](data ?? Data())
        return stride(from: 0, to: bytes.count - bytes.count % 9, by: 9).compactMap { place in
            let (start, end) = (number(bytes, place + 1), number(bytes, place + 5))
            guard start <= end, end <= textBytes, kinds.indices.contains(Int(bytes[place])) else { return nil }
            return BookPage.Block(kind: kinds[Int(bytes[place])], start: start, end: end)
        }
    }

    static func lines(_ data: Data?, textBytes: Int) -> [BookPage.Line]? {
        guard let data else { return nil }
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - bytes.count % 24, by: 24).compactMap { place in
            let (start, end) = (number(bytes, place), number(bytes, place + 4))
            let box = (0..<4).map { Double(Float(bitPattern: UInt32(number(bytes, place + 8 + 4 * $0)))) }
            guard start <= end, end <= textBytes, box.allSatisfy(\.isFinite) else { return nil }
            return BookPage.Line(start: start, end: end, box: box)
        }
    }

    private static func append(_ number: Int, to data: inout Data) {
        let value = UInt32(clamping: number)
        for shift in stride(from: 0, through: 24, by: 8) {
            data.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}
