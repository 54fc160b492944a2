import Foundation
import GRDB
package import GatewayAPI

/// A named JSON document of notifications: a template, an action or a setting.
package struct PushDocument: Sendable, Hashable {
    /// What documents are for.
    package enum Kind: String, Sendable {
        case template, action, setting
    }

    /// The id that clients see.
    package var uuid: String
    /// Unique among its kind.
    package var name: String
    /// The JSON.
    package var document: String
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var updatedAt: Int64
}

/// Stores templates, actions and settings of notifications.
package struct PushLibrary: Sendable {
    let database: GatewayDatabase
    private var clock: @Sendable () -> Int64 { database.clock }

    /// Documents of one kind at most.
    package static let maxDocuments = 1000
    private static let columns = """
        id, uuid, \(ValueLimit.bounded("name", 4096)) AS name, \(ValueLimit.bounded("document", 256 << 10)) AS document,
        created_at, updated_at
        """

    /// Returns a page of the documents of a kind, oldest first.
    package func page(
        _ kind: PushDocument.Kind, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<PushDocument> {
        try cursor?.check(numbers: 1)
        return try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT \(Self.columns) FROM gateway_push_documents WHERE kind = ? AND id > ? ORDER BY id LIMIT ?",
                arguments: [kind.rawValue, cursor?.numbers[0] ?? 0, limit + 1])
            let found = rows.compactMap { row in
                Self.document(row).map { (item: $0, cursor: PageCursor(row.integer("id") ?? 0)) }
            }
            return Page(found, limit: limit) { $0.document.utf8.count + 512 }
        }
    }

    /// Returns the document of a name or an id; nil for none.
    package func find(_ kind: PushDocument.Kind, _ nameOrID: String) async throws -> PushDocument? {
        try await database.read { try Self.find(kind, nameOrID, $0) }
    }

    /// Stores a new document.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the name is taken or there are ``maxDocuments``.
    package func add(_ kind: PushDocument.Kind, name: String, document: String) async throws -> PushDocument {
        try await database.write { database in
            let taken = try Scalar.integer(
                database, sql: "SELECT 1 FROM gateway_push_documents WHERE kind = ? AND name = ?",
                arguments: [kind.rawValue, name])
            guard taken == nil else { throw StorageError(.conflict, "there is a \(kind) named \"\(name)\" already") }
            let count = try Scalar.count(
                database, sql: "SELECT count(*) FROM gateway_push_documents WHERE kind = ?",
                arguments: [kind.rawValue])
            guard count ?? 0 < Self.maxDocuments else {
                throw StorageError(.conflict, "there are \(Self.maxDocuments) \(kind)s, which is the limit")
            }
            let (uuid, now) = (UUID().uuidString.lowercased(), clock())
            try database.execute(
                sql: """
                    INSERT INTO gateway_push_documents (uuid, kind, name, document, created_at, updated_at)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?5)
                    """,
                arguments: [uuid, kind.rawValue, name, document, now])
            return PushDocument(uuid: uuid, name: name, document: document, createdAt: now, updatedAt: now)
        }
    }

    /// Replaces a document.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for the name of another one.
    package func change(
        _ kind: PushDocument.Kind, _ uuid: String, name: String, document: String
    ) async throws -> PushDocument {
        try await database.write { database in
            let other = try Scalar.integer(
                database, sql: "SELECT 1 FROM gateway_push_documents WHERE kind = ? AND name = ? AND uuid <> ?",
                arguments: [kind.rawValue, name, uuid])
            guard other == nil else { throw StorageError(.conflict, "there is a \(kind) named \"\(name)\" already") }
            try database.execute(
                sql: """
                    UPDATE gateway_push_documents SET name = ?, document = ?, updated_at = ? WHERE uuid = ? AND kind = ?
                    """, arguments: [name, document, clock(), uuid, kind.rawValue])
            guard database.changesCount > 0, let changed = try Self.find(kind, uuid, database) else {
                throw StorageError(.notFound, "there is no \(kind) \(uuid.prefix(64))")
            }
            return changed
        }
    }

    /// Deletes a document.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ kind: PushDocument.Kind, _ uuid: String) async throws {
        try await database.write { database in
            try database.execute(
                sql: "DELETE FROM gateway_push_documents WHERE uuid = ? AND kind = ?", arguments: [uuid, kind.rawValue])
            guard database.changesCount > 0 else {
                throw StorageError(.notFound, "there is no \(kind) \(uuid.prefix(64))")
            }
        }
    }

    /// The JSON of a setting; nil when it was never stored.
    package func setting(_ name: String) async throws -> String? { try await find(.setting, name)?.document }

    /// Stores the JSON of a setting; returns what it replaced.
    @discardableResult
    package func set(_ name: String, _ document: String) async throws -> String? {
        try await database.write { database in
            let before = try Self.find(.setting, name, database)?.document
            try database.execute(
                sql: """
                    INSERT INTO gateway_push_documents (uuid, kind, name, document, created_at, updated_at)
                    VALUES (?1, 'setting', ?2, ?3, ?4, ?4)
                    ON CONFLICT (kind, name) DO UPDATE SET document = ?3, updated_at = ?4
                    """, arguments: [UUID().uuidString.lowercased(), name, document, clock()])
            return before
        }
    }

    private static func find(
        _ kind: PushDocument.Kind, _ nameOrID: String, _ database: Database
    ) throws -> PushDocument? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT \(columns) FROM gateway_push_documents WHERE kind = ?1 AND (name = ?2 OR uuid = ?2)
                ORDER BY name = ?2 DESC LIMIT 1
                """, arguments: [kind.rawValue, nameOrID]
        ).flatMap(document)
    }

    private static func document(_ row: Row) -> PushDocument? {
        guard let uuid = row.text("uuid"), let name = row.text("name"), let text = row.text("document") else {
            return nil
        }
        return PushDocument(
            uuid: uuid, name: name, document: text, createdAt: row.integer("created_at") ?? 0,
            updatedAt: row.integer("updated_at") ?? 0)
    }
}
