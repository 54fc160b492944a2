import Foundation
import GatewayAPI
package import Storage

/// Embedding spaces, as ``SpaceStore`` has them.
package struct PostgresSpaces: Sendable {
    let store: PostgresStore

    static let columns = "id, model, digest, dimensions, query_prefix, document_prefix, chunker_version"

    static func space(_ rows: PostgresRows, _ row: Int) -> StoredSpace? {
        guard let id = rows.integer(row, 0), let model = rows.text(row, 1), let dimensions = rows.integer(row, 3),
            (1...16_000).contains(dimensions)
        else { return nil }
        return StoredSpace(
            id: id,
            space: EmbeddingSpace(
                model: model, digest: rows.text(row, 2) ?? "", dimensions: Int(dimensions),
                queryPrefix: rows.text(row, 4) ?? "", documentPrefix: rows.text(row, 5) ?? "",
                chunkerVersion: Int(rows.integer(row, 6) ?? 0)))
    }

    /// Returns the stored space; creates it when it does not exist.
    package func ensure(_ space: EmbeddingSpace) async throws -> StoredSpace {
        guard (1...16_000).contains(space.dimensions) else {
            throw PostgresError(.invalid, "pgvector has vectors of at most 16000 dimensions, not \(space.dimensions)")
        }
        let values: [PostgresValue] = [
            .text(space.model), .text(space.digest), .integer(Int64(space.dimensions)), .text(space.queryPrefix),
            .text(space.documentPrefix), .integer(Int64(space.chunkerVersion)),
        ]
        return try await store.write { connection in
            try await connection.run(
                """
                INSERT INTO spaces (model, digest, dimensions, query_prefix, document_prefix, chunker_version, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
                """, values + [.text(Timestamp.now)])
            let rows = try await connection.run(
                """
                SELECT \(Self.columns) FROM spaces WHERE model = $1 AND digest = $2 AND dimensions = $3
                AND query_prefix = $4 AND document_prefix = $5 AND chunker_version = $6
                """, values)
            guard let found = Self.space(rows, 0) else {
                throw PostgresError(.failed, "the embedding space could not be stored")
            }
            return found
        }
    }

    /// Returns the space of a model, digest, prefixes and chunker; nil when there is none.
    package func find(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace? {
        let rows = try await store.rows(
            """
            SELECT \(Self.columns) FROM spaces WHERE model = $1 AND digest = $2 AND query_prefix = $3
            AND document_prefix = $4 AND chunker_version = $5 ORDER BY id DESC LIMIT 1
            """,
            [.text(model), .text(digest), .text(queryPrefix), .text(documentPrefix), .integer(Int64(chunkerVersion))])
        return Self.space(rows, 0)
    }

    /// Returns the space that answers queries; nil before the first backfill.
    package func active() async throws -> StoredSpace? {
        Self.space(
            try await store.rows(
                """
                SELECT \(Self.columns) FROM spaces
                WHERE id = (SELECT value::bigint FROM meta WHERE key = 'active_space')
                """), 0)
    }

    /// Returns all spaces, oldest first.
    package func all() async throws -> [SpaceStatus] {
        let rows = try await store.rows(
            """
            SELECT \(Self.columns), id = (SELECT value::bigint FROM meta WHERE key = 'active_space'),
                id = (SELECT value::bigint FROM meta WHERE key = 'previous_space'), is_filled, activated_at, created_at,
                (SELECT count(*) FROM embeddings e WHERE e.space_id = s.id),
                (SELECT count(*) FROM queue q WHERE q.space_id = s.id AND due IS NOT NULL AND owner IS NULL),
                (SELECT count(*) FROM queue q WHERE q.space_id = s.id AND due IS NOT NULL AND owner IS NOT NULL),
                (SELECT count(*) FROM queue q WHERE q.space_id = s.id AND due IS NULL)
            FROM spaces s ORDER BY id
            """)
        return rows.indices.compactMap { row in
            guard let stored = Self.space(rows, row) else { return nil }
            func count(_ column: Int) -> Int { Int(rows.integer(row, column) ?? 0) }
            return SpaceStatus(
                stored: stored, isActive: rows.bool(row, 7) ?? false, isPrevious: rows.bool(row, 8) ?? false,
                isFilled: rows.bool(row, 9) ?? false, activatedAt: rows.text(row, 10),
                createdAt: rows.text(row, 11) ?? "", embedded: count(12),
                queue: QueueCounts(waiting: count(13), leased: count(14), failed: count(15)))
        }
    }

    /// Counts the notes with vectors in a space.
    package func embeddingCount(in space: SpaceID) async throws -> Int {
        Int(
            try await store.rows("SELECT count(*) FROM embeddings WHERE space_id = $1", [.integer(space)]).integer(0, 0)
                ?? 0)
    }

    /// Switches queries to a space, for all gateways, if enough notes have vectors in it.
    package func `switch`(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                SELECT activated_at IS NOT NULL, (SELECT value FROM meta WHERE key = 'active_space'),
                    (SELECT count(*) FROM notes WHERE NOT hidden), (SELECT count(*) FROM queue WHERE space_id = $1)
                FROM spaces WHERE id = $1 FOR UPDATE
                """, [.integer(id)])
            guard rows.count == 1 else { throw PostgresError(.notFound, "there is no embedding space \(id)") }
            if rows.text(0, 1) == String(id) { return .active }
            if isAutomatic, rows.bool(0, 0) == true { return .leftBefore }
            let (notes, missing) = (Int(rows.integer(0, 2) ?? 0), Int(rows.integer(0, 3) ?? 0))
            guard missing == 0 || Double(notes - missing) >= least * Double(notes) else {
                return .incomplete(missing: missing, notes: notes)
            }
            try await Self.activate(id, connection)
            return .switched
        }
    }

    /// Switches queries to a space, complete or not, for all gateways.
    package func activate(_ id: SpaceID) async throws {
        try await store.write { try await Self.activate(id, $0) }
    }

    private static func activate(_ id: SpaceID, _ connection: PostgresConnection) async throws {
        try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 3)])
        let old = try await connection.run("SELECT value FROM meta WHERE key = 'active_space'").text(0, 0)
        if let old, old != String(id) {
            try await connection.run(
                """
                INSERT INTO meta VALUES ('previous_space', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """, [.text(old)])
            try await connection.run("UPDATE spaces SET is_filled = false WHERE id = $1::text::bigint", [.text(old)])
            try await connection.run("DELETE FROM queue WHERE space_id = $1::text::bigint", [.text(old)])
        }
        let changed = try await connection.run(
            """
            UPDATE spaces SET activated_at = coalesce(activated_at, $2), is_filled = true,
                is_reconciled = is_filled AND is_reconciled,
                filled_by = CASE WHEN is_filled THEN filled_by ELSE pg_current_xact_id() END WHERE id = $1
            """, [.integer(id), .text(Timestamp.now)])
        guard changed.changed == 1 else { throw PostgresError(.notFound, "there is no embedding space \(id)") }
        try await connection.run(
            "INSERT INTO meta VALUES ('active_space', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [.text(String(id))])
    }

    /// Switches queries back to the previous space.
    package func rollBack() async throws -> StoredSpace {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                SELECT \(Self.columns) FROM spaces
                WHERE id = (SELECT value::bigint FROM meta WHERE key = 'previous_space')
                """)
            guard let space = Self.space(rows, 0) else {
                throw PostgresError(.notFound, "there is no previous embedding space to switch back to")
            }
            try await Self.activate(space.id, connection)
            return space
        }
    }

    /// Removes a space with its index and vectors, in small transactions. Call again to finish an interrupted removal.
    package func drop(_ id: SpaceID) async throws {
        try await store.write { connection in
            try await Self.refuseActive(id, connection)
            let known = try await connection.run("UPDATE spaces SET is_filled = false WHERE id = $1", [.integer(id)])
            guard known.changed == 1 else { throw PostgresError(.notFound, "there is no embedding space \(id)") }
            try await connection.script("DROP INDEX IF EXISTS selene.\(VectorIndexPlan.name(of: id))")
            try await connection.run("DELETE FROM queue WHERE space_id = $1", [.integer(id)])
            try await connection.run(
                "DELETE FROM meta WHERE key = 'previous_space' AND value = $1", [.text(String(id))])
        }
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            hasMore = try await store.write { connection in
                try await Self.refuseActive(id, connection)
                return try await connection.run(
                    """
                    DELETE FROM embeddings WHERE space_id = $1 AND note_id IN
                        (SELECT note_id FROM embeddings WHERE space_id = $1 LIMIT 5000)
                    """, [.integer(id)]
                ).changed > 0
            }
        }
        try await store.write { connection in
            try await Self.refuseActive(id, connection)
            try await connection.run("DELETE FROM spaces WHERE id = $1", [.integer(id)])
            try await connection.run("DELETE FROM meta WHERE key = $1", [.text("index_elements:\(id)")])
        }
    }

    private static func refuseActive(_ id: SpaceID, _ connection: PostgresConnection) async throws {
        // Until the end of the transaction no space can become the active one.
        try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 3)])
        let active = try await connection.run("SELECT value FROM meta WHERE key = 'active_space'").text(0, 0)
        guard active != String(id) else {
            throw PostgresError(.conflict, "space \(id) answers queries; switch to another one first")
        }
    }

    /// Copies nothing: vectors of another chunker are embedded again.
    package func copyWholeNotes(into space: StoredSpace, maxBytes: Int) -> Int { 0 }

    /// Returns a model's last measured embedding speed, in bytes of text per second; nil when not measured.
    package func rate(of model: String) async throws -> Double? {
        try await store.rows("SELECT value FROM meta WHERE key = $1", [.text("rate:" + model)]).text(0, 0).flatMap(
            Double.init)
    }

    /// Stores a model's embedding speed.
    package func keepRate(_ bytesPerSecond: Double, of model: String) async throws {
        guard bytesPerSecond.isFinite, bytesPerSecond > 0 else { return }
        _ = try await store.write { connection in
            try await connection.run(
                "INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [.text("rate:" + model), .text(String(bytesPerSecond.rounded()))])
        }
    }
}
