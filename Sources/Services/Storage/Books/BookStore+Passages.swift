import Foundation
import GRDB
import GatewayAPI

/// A passage with its text as models read it.
package struct BookPassageText: Sendable, Hashable {
    package var book: Int64
    package var passage: BookPassageRow
    package var text: String
    /// The title of the section; nil before the first heading.
    package var heading: String?
}

/// The vector of a passage; empty when the model refused it.
package struct BookVector: Sendable, Hashable {
    package var book: Int64
    package var number: Int
    package var vector: [Float]

    package init(book: Int64, number: Int, vector: [Float]) {
        self.book = book
        self.number = number
        self.vector = vector
    }
}

/// What the index must know of a book.
package struct IndexedBook: Sendable, Hashable {
    package var id: Int64
    /// The contents; 0 for none.
    package var revision: Int64
    /// The reading position; nil for no limit.
    package var position: Int?
}

/// The passages of books, their vectors, and the reading position that cuts one of them.
extension BookStore {
    /// Sets the reading position, with the passage that it cuts.
    ///
    /// - Parameters:
    ///   - offset: In bytes of the text; nil for no limit.
    ///   - tail: The part of the passage that straddles the position; nil when none does. Its number is ignored.
    /// - Throws: ``StorageError/Code/notFound``.
    package func setPosition(_ offset: Int?, of id: Int64, tail: BookPassageRow?) async throws -> StoredBook {
        try await database.write { database in
            _ = try BookRows.required(database, id)
            for table in ["passages", "vectors"] {
                try database.execute(
                    sql: "DELETE FROM gateway_book_\(table) WHERE book_id = ? AND number >= ?",
                    arguments: [id, BookPassageRow.tails])
            }
            if let offset {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO gateway_book_positions (book_id, offset, updated_at) VALUES (?, ?, ?)",
                    arguments: [id, offset, Timestamp.seconds])
                if var tail {
                    // A new number, so that a vector that is being made for an earlier tail never becomes this one's.
                    tail.number = BookPassageRow.tails + Int.random(in: 0..<BookPassageRow.tails)
                    try Self.insert(tail, id, database)
                }
            } else {
                try database.execute(sql: "DELETE FROM gateway_book_positions WHERE book_id = ?", arguments: [id])
            }
            return try BookRows.required(database, id)
        }
    }

    /// Returns the first passage that ends after an offset; nil when there is none.
    package func firstPassage(endingAfter offset: Int, of id: Int64) async throws -> BookPassageRow? {
        try await database.read { database in
            let number = try Scalar.count(
                database,
                sql: """
                    SELECT number FROM gateway_book_passages WHERE book_id = ? AND end > ? AND number < ?
                    ORDER BY end, number LIMIT 1
                    """, arguments: [id, offset, BookPassageRow.tails])
            guard let number else { return nil }
            return try Row.fetchOne(
                database,
                sql: "SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = ? AND number = ?",
                arguments: [id, number]
            ).flatMap { BookPassageRow($0) }
        }
    }

    /// Returns every book with the state of its contents and its position.
    package func indexed() async throws -> [IndexedBook] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT b.id, b.revision, p.offset FROM \(BookRows.source) ORDER BY b.id"
            ).compactMap { row in
                row.integer(0).map { id in
                    IndexedBook(
                        id: id, revision: row.integer(1) ?? 0, position: row.integer(2).map { Int(clamping: $0) })
                }
            }
        }
    }

    /// Returns passages of a book with their texts, in order.
    ///
    /// - Parameters:
    ///   - number: The first number.
    ///   - limit: The maximum number of passages.
    package func passages(of id: Int64, from number: Int, limit: Int) async throws -> [BookPassageText] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = ? AND number >= ?
                    ORDER BY number LIMIT ?
                    """, arguments: [id, number, limit])
            return try BookSnapshot(database).texts(rows.compactMap { BookPassageRow($0) }, of: id)
        }
    }

    /// Returns passages of a book that have no vector in a space, in order.
    package func pending(in space: SpaceID, of id: Int64, limit: Int) async throws -> [BookPassageText] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(BookPassageRow.columns) FROM gateway_book_passages p WHERE p.book_id = ?1 AND NOT EXISTS (
                        SELECT 1 FROM gateway_book_vectors v
                        WHERE v.space_id = ?2 AND v.book_id = p.book_id AND v.number = p.number)
                    ORDER BY p.number LIMIT ?3
                    """, arguments: [id, space, limit])
            return try BookSnapshot(database).texts(rows.compactMap { BookPassageRow($0) }, of: id)
        }
    }

    /// Returns the books with contents that lack a vector in a space, oldest first.
    package func incomplete(in space: SpaceID) async throws -> [Int64] {
        try await database.read { database in
            try Scalar.integers(
                database,
                sql: """
                    SELECT b.id FROM gateway_books b WHERE b.revision > 0 AND b.state <> 'failed' AND
                    (SELECT count(*) FROM gateway_book_passages p WHERE p.book_id = b.id) >
                    (SELECT count(*) FROM gateway_book_vectors v WHERE v.space_id = ? AND v.book_id = b.id) ORDER BY b.id
                    """, arguments: [space])
        }
    }

    /// Stores vectors of a space. Vectors of passages that are gone are dropped; known ones stay.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for a vector of another length.
    package func store(_ vectors: [BookVector], in space: StoredSpace) async throws {
        for vector in vectors where !vector.vector.isEmpty && vector.vector.count != space.space.dimensions {
            throw StorageError(
                .invalid,
                "the vector of a passage has \(vector.vector.count) dimensions, expected \(space.space.dimensions)")
        }
        try await database.write { database in
            for vector in vectors {
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO gateway_book_vectors (space_id, book_id, number, vector)
                        SELECT ?, book_id, number, ? FROM gateway_book_passages WHERE book_id = ? AND number = ?
                        """,
                    arguments: [space.id, VectorBlob.encode(vector.vector), vector.book, vector.number])
            }
        }
    }

    /// The highest id of a vector's row.
    package func lastVector() async throws -> Int64 {
        try await database.read { try Scalar.integer($0, sql: "SELECT max(id) FROM gateway_book_vectors") ?? 0 }
    }

    /// Returns vectors of a space that were stored after a row, in the order of the rows.
    package func vectors(
        in space: StoredSpace, after id: Int64, limit: Int
    ) async throws -> (vectors: [BookVector], last: Int64) {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, book_id, number, \(ValueLimit.bounded("vector")) FROM gateway_book_vectors
                    WHERE id > ? AND space_id = ? ORDER BY id LIMIT ?
                    """, arguments: [id, space.id, limit])
            let vectors = rows.compactMap { row -> BookVector? in
                guard let book = row.integer(1), let data = row.bytes(3),
                    let vector = VectorBlob.decode(data, dimensions: space.space.dimensions)
                else { return nil }
                return BookVector(book: book, number: row.count(2), vector: vector)
            }
            return (vectors, rows.last?.integer(0) ?? id)
        }
    }

    /// Returns the vectors of a book's passages from a number on, in a space; empty ones where there is none to use.
    package func vectors(
        in space: StoredSpace, of id: Int64, from number: Int, limit: Int
    ) async throws -> [BookVector] {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT number, \(ValueLimit.bounded("vector")) FROM gateway_book_vectors
                    WHERE space_id = ? AND book_id = ? AND number >= ? ORDER BY number LIMIT ?
                    """, arguments: [space.id, id, number, limit])
            return rows.map { row in
                let vector = row.bytes(1).flatMap { VectorBlob.decode($0, dimensions: space.space.dimensions) }
                return BookVector(book: id, number: row.count(0), vector: vector ?? [])
            }
        }
    }
}

extension BookPassageRow {
    static let columns = "number, start, end, page, last_page, heading, view"

    /// Nil for a row that another program changed beyond reading.
    init?(_ row: Row) {
        guard let number = row.integer(0), (0..<Int64(2 * BookPassageRow.tails)).contains(number) else { return nil }
        let (start, end) = (row.count(1), row.count(2))
        guard start >= 0, end >= start, end - start <= ValueLimit.field else { return nil }
        self.init(
            number: Int(number), range: start..<end, page: row.count(3), lastPage: row.count(4),
            heading: row.integer(5).map { Int(clamping: $0) }, view: row.text(6))
    }
}
