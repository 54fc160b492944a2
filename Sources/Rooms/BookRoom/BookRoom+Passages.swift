import Database

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
extension BookRoom {
    /// Sets the reading position, with the passage that it cuts.
    ///
    /// - Parameters:
    ///   - offset: In bytes of the text; nil for no limit.
    ///   - tail: The part of the passage that straddles the position; nil when none does. Its number is ignored.
    /// - Throws: ``StorageError/Code/notFound``.
    package func setPosition(_ offset: Int?, of id: Int64, tail: BookPassageRow?) async throws -> StoredBook {
        var cut = tail
        // A new number, so that a vector that is being made for an earlier tail never becomes this one's.
        cut?.number = BookPassageRow.tails + Int.random(in: 0..<BookPassageRow.tails)
        return try await store.transaction { [cut] session in
            // Positions follow each other.
            let book = try session.first(
                "SELECT id FROM gateway_books WHERE id = $1\(session.dialect.locksRows)", [.integer(id)])
            guard book != nil else { throw BookRows.missing(id) }
            for table in ["passages", "vectors"] {
                try session.run(
                    "DELETE FROM gateway_book_\(table) WHERE book_id = $1 AND number >= $2",
                    [.integer(id), .count(BookPassageRow.tails)])
            }
            if let offset {
                try session.run(
                    """
                    INSERT INTO gateway_book_positions (book_id, "offset", updated_at) VALUES ($1, $2, $3)
                    ON CONFLICT (book_id) DO UPDATE SET "offset" = excluded."offset", updated_at = excluded.updated_at
                    """, [.integer(id), .count(offset), .integer(try session.clock().seconds)])
                if let cut { try Self.insert(cut, id, session) }
            } else {
                try session.run("DELETE FROM gateway_book_positions WHERE book_id = $1", [.integer(id)])
            }
            return try BookRows.required(session, id)
        }
    }

    /// Returns the first passage that ends after an offset; nil when there is none.
    package func firstPassage(endingAfter offset: Int, of id: Int64) async throws -> BookPassageRow? {
        try await store.rows(
            """
            SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = $1 AND "end" > $2 AND number < $3
            ORDER BY "end", number LIMIT 1
            """, [.integer(id), .count(offset), .count(BookPassageRow.tails)]
        ).first.flatMap { BookPassageRow($0) }
    }

    /// Returns the books whose position was set since a time in seconds since 1970, latest first.
    package func read(since start: Int64, limit: Int) async throws -> [Int64] {
        try await store.rows(
            """
            SELECT book_id FROM gateway_book_positions WHERE updated_at >= $1 ORDER BY updated_at DESC, book_id LIMIT $2
            """, [.integer(start), .count(limit)]
        ).compactMap { $0.integer(0) }
    }

    /// Returns every book with the state of its contents and its position.
    package func indexed() async throws -> [IndexedBook] {
        try await store.rows(
            """
            SELECT b.id, b.revision, p."offset" FROM gateway_books b
            LEFT JOIN gateway_book_positions p ON p.book_id = b.id ORDER BY b.id
            """, []
        ).compactMap { row in
            row.integer(0).map { id in
                IndexedBook(id: id, revision: row.integer(1) ?? 0, position: row.integer(2).map { Int(clamping: $0) })
            }
        }
    }

    /// Returns passages of a book with their texts, in order.
    ///
    /// - Parameters:
    ///   - number: The first number.
    ///   - limit: The maximum number of passages.
    package func passages(of id: Int64, from number: Int, limit: Int) async throws -> [BookPassageText] {
        try await store.snapshot { session in
            let rows = try session.rows(
                """
                SELECT \(BookPassageRow.columns) FROM gateway_book_passages WHERE book_id = $1 AND number >= $2
                ORDER BY number LIMIT $3
                """, [.integer(id), .count(number), .count(limit)])
            return try BookSnapshot(session).texts(rows.compactMap { BookPassageRow($0) }, of: id)
        }
    }

    /// Returns passages of a book that have no vector in a space, in order.
    package func pending(in space: Int64, of id: Int64, limit: Int) async throws -> [BookPassageText] {
        try await store.snapshot { session in
            let rows = try session.rows(
                """
                SELECT \(BookPassageRow.columns) FROM gateway_book_passages p WHERE p.book_id = $1 AND NOT EXISTS (
                    SELECT 1 FROM gateway_book_vectors v
                    WHERE v.space_id = $2 AND v.book_id = p.book_id AND v.number = p.number)
                ORDER BY p.number LIMIT $3
                """, [.integer(id), .integer(space), .count(limit)])
            return try BookSnapshot(session).texts(rows.compactMap { BookPassageRow($0) }, of: id)
        }
    }

    /// Returns the books with contents that lack a vector in a space, oldest first.
    package func incomplete(in space: Int64) async throws -> [Int64] {
        try await store.rows(
            """
            SELECT b.id FROM gateway_books b WHERE b.revision > 0 AND b.state <> 'failed' AND
            (SELECT count(*) FROM gateway_book_passages p WHERE p.book_id = b.id) >
            (SELECT count(*) FROM gateway_book_vectors v WHERE v.space_id = $1 AND v.book_id = b.id) ORDER BY b.id
            """, [.integer(space)]
        ).compactMap { $0.integer(0) }
    }

    // MARK: Vectors

    /// Stores vectors of a space. Vectors of passages that are gone are dropped; known ones stay.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for a vector of another length.
    package func store(_ vectors: [BookVector], in space: Int64, dimensions: Int) async throws {
        for vector in vectors where !vector.vector.isEmpty && vector.vector.count != dimensions {
            throw StorageError(
                .invalid, "the vector of a passage has \(vector.vector.count) dimensions, expected \(dimensions)")
        }
        try await store.transaction { session in
            // Rows become visible in the order of their ids, so that a reader that is at one of them misses none.
            try session.lock("gateway_book_vectors")
            for vector in vectors {
                try session.run(
                    """
                    INSERT INTO gateway_book_vectors (space_id, book_id, number, vector)
                    SELECT $1, book_id, number, $2 FROM gateway_book_passages WHERE book_id = $3 AND number = $4
                    ON CONFLICT (space_id, book_id, number) DO NOTHING
                    """,
                    [
                        .integer(space), .bytes(VectorBlob.bytes(vector.vector)), .integer(vector.book),
                        .count(vector.number),
                    ])
            }
        }
    }

    /// The highest id of a vector's row.
    package func lastVector() async throws -> Int64 {
        try await store.rows("SELECT max(id) FROM gateway_book_vectors", []).first?.integer(0) ?? 0
    }

    /// Returns vectors of a space that were stored after a row, in the order of the rows.
    package func vectors(
        in space: Int64, dimensions: Int, after id: Int64, limit: Int
    ) async throws -> (vectors: [BookVector], last: Int64) {
        let rows = try await store.rows(
            """
            SELECT id, book_id, number, \(store.dialect.bounded("vector")) FROM gateway_book_vectors
            WHERE id > $1 AND space_id = $2 ORDER BY id LIMIT $3
            """, [.integer(id), .integer(space), .count(limit)])
        let vectors = rows.compactMap { row -> BookVector? in
            guard let book = row.integer(1), let bytes = row.bytes(3),
                let vector = VectorBlob.decode(bytes, dimensions: dimensions)
            else { return nil }
            return BookVector(book: book, number: row.count(2), vector: vector)
        }
        return (vectors, rows.last?.integer(0) ?? id)
    }

    /// Returns the vectors of a book's passages from a number on, in a space; empty ones where there is none to use.
    package func vectors(
        in space: Int64, dimensions: Int, of id: Int64, from number: Int, limit: Int
    ) async throws -> [BookVector] {
        try await store.rows(
            """
            SELECT number, \(store.dialect.bounded("vector")) FROM gateway_book_vectors
            WHERE space_id = $1 AND book_id = $2 AND number >= $3 ORDER BY number LIMIT $4
            """, [.integer(space), .integer(id), .count(number), .count(limit)]
        ).map { row in
            let vector = row.bytes(1).flatMap { VectorBlob.decode($0, dimensions: dimensions) }
            return BookVector(book: id, number: row.count(0), vector: vector ?? [])
        }
    }
}

extension BookPassageRow {
    static let columns = "number, start, \"end\", page, last_page, heading, view"

    /// Nil for a row that another program changed beyond reading.
    init?(_ row: SQLRow) {
        guard let number = row.integer(0), (0..<Int64(2 * BookPassageRow.tails)).contains(number) else { return nil }
        let (start, end) = (row.count(1), row.count(2))
        guard start >= 0, end >= start, end - start <= ValueLimit.field else { return nil }
        self.init(
            number: Int(number), range: start..<end, page: row.count(3), lastPage: row.count(4),
            heading: row.integer(5).map { Int(clamping: $0) }, view: row.text(6))
    }
}
