package import Database
import Foundation
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
    let store: any SQLStore

    /// Documents of one kind at most.
    package static let maxDocuments = 1000

    private static func columns(_ words: SQLDialect) -> String {
        """
        id, uuid, \(words.bounded("name", 4096)), \(words.bounded("document", 256 << 10)), created_at, updated_at
        """
    }

    /// Returns a page of the documents of a kind, oldest first.
    package func page(
        _ kind: PushDocument.Kind, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<PushDocument> {
        try cursor?.check(numbers: 1)
        let found = try await store.rows(
            """
            SELECT \(Self.columns(store.dialect)) FROM gateway_push_documents WHERE kind = $1 AND id > $2
            ORDER BY id LIMIT $3
            """, [.text(kind.rawValue), .integer(cursor?.numbers[0] ?? 0), .count(limit + 1)]
        ).compactMap { row in
            PushDocument(row).map { (item: $0, cursor: PageCursor(row.integer(0) ?? 0)) }
        }
        return Page(found, limit: limit) { $0.document.utf8.count + 512 }
    }

    /// Returns the document of a name or an id; nil for none.
    package func find(_ kind: PushDocument.Kind, _ nameOrID: String) async throws -> PushDocument? {
        try await store.snapshot { try Self.find(kind, nameOrID, $0) }
    }

    /// Stores a new document.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the name is taken or there are ``maxDocuments``.
    package func add(_ kind: PushDocument.Kind, name: String, document: String) async throws -> PushDocument {
        try await store.transaction { session in
            try session.lock("gateway_push_documents")
            let taken = try session.first(
                "SELECT id FROM gateway_push_documents WHERE kind = $1 AND name = $2",
                [.text(kind.rawValue), .text(name)])
            guard taken == nil else { throw StorageError(.conflict, "there is a \(kind) named \"\(name)\" already") }
            let count = try session.first(
                "SELECT count(*) FROM gateway_push_documents WHERE kind = $1", [.text(kind.rawValue)])
            guard count?.count(0) ?? 0 < Self.maxDocuments else {
                throw StorageError(.conflict, "there are \(Self.maxDocuments) \(kind)s, which is the limit")
            }
            let (uuid, now) = (UUID().uuidString.lowercased(), try session.clock().now)
            try session.run(
                """
                INSERT INTO gateway_push_documents (uuid, kind, name, document, created_at, updated_at)
                VALUES ($1, $2, $3, $4, $5, $5)
                """, [.text(uuid), .text(kind.rawValue), .text(name), .text(document), .integer(now)])
            return PushDocument(uuid: uuid, name: name, document: document, createdAt: now, updatedAt: now)
        }
    }

    /// Replaces a document.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for the name of another one.
    package func change(
        _ kind: PushDocument.Kind, _ uuid: String, name: String, document: String
    ) async throws -> PushDocument {
        try await store.transaction { session in
            try session.lock("gateway_push_documents")
            let other = try session.first(
                "SELECT id FROM gateway_push_documents WHERE kind = $1 AND name = $2 AND uuid <> $3",
                [.text(kind.rawValue), .text(name), .text(uuid)])
            guard other == nil else { throw StorageError(.conflict, "there is a \(kind) named \"\(name)\" already") }
            let changed = try session.run(
                """
                UPDATE gateway_push_documents SET name = $1, document = $2, updated_at = $3 WHERE uuid = $4 AND kind = $5
                """,
                [
                    .text(name), .text(document), .integer(try session.clock().now), .text(uuid), .text(kind.rawValue),
                ])
            guard changed > 0, let found = try Self.find(kind, uuid, session) else {
                throw StorageError(.notFound, "there is no \(kind) \(uuid.prefix(64))")
            }
            return found
        }
    }

    /// Deletes a document.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ kind: PushDocument.Kind, _ uuid: String) async throws {
        let deleted = try await store.run(
            "DELETE FROM gateway_push_documents WHERE uuid = $1 AND kind = $2", [.text(uuid), .text(kind.rawValue)])
        guard deleted > 0 else { throw StorageError(.notFound, "there is no \(kind) \(uuid.prefix(64))") }
    }

    /// The JSON of a setting; nil when it was never stored.
    package func setting(_ name: String) async throws -> String? { try await find(.setting, name)?.document }

    /// Stores the JSON of a setting; returns what it replaced.
    @discardableResult
    package func set(_ name: String, _ document: String) async throws -> String? {
        try await store.transaction { session in
            try session.lock("gateway_push_documents")
            let before = try Self.find(.setting, name, session)?.document
            try session.run(
                """
                INSERT INTO gateway_push_documents (uuid, kind, name, document, created_at, updated_at)
                VALUES ($1, 'setting', $2, $3, $4, $4)
                ON CONFLICT (kind, name) DO UPDATE SET document = $3, updated_at = $4
                """,
                [
                    .text(UUID().uuidString.lowercased()), .text(name), .text(document),
                    .integer(try session.clock().now),
                ])
            return before
        }
    }

    private static func find(
        _ kind: PushDocument.Kind, _ nameOrID: String, _ session: any SQLSession
    ) throws -> PushDocument? {
        try session.first(
            """
            SELECT \(columns(session.dialect)) FROM gateway_push_documents WHERE kind = $1 AND (name = $2 OR uuid = $2)
            ORDER BY name = $2 DESC LIMIT 1
            """, [.text(kind.rawValue), .text(nameOrID)]
        ).flatMap { PushDocument($0) }
    }
}

extension PushDocument {
    fileprivate init?(_ row: SQLRow) {
        guard let uuid = row.text(1), let name = row.text(2), let text = row.text(3) else { return nil }
        self.init(
            uuid: uuid, name: name, document: text, createdAt: row.integer(4) ?? 0, updatedAt: row.integer(5) ?? 0)
    }
}
