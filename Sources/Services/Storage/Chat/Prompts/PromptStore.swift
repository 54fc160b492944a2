import GRDB
import GatewayAPI

/// Stores the user's prompts as text, each edit as a version. What the text means is the caller's matter.
public struct PromptStore: Sendable {
    let database: GatewayDatabase

    /// The maximum number of prompts.
    public static let maxPrompts = 500
    /// The number of versions to keep of a prompt; older ones are deleted.
    public static let maxVersions = 100

    /// Returns the latest version of every prompt, by id.
    public func all() async throws -> [StoredPrompt] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT p.* FROM gateway_prompt_versions p
                    WHERE p.number = (SELECT max(number) FROM gateway_prompt_versions WHERE prompt_id = p.prompt_id)
                    ORDER BY p.prompt_id LIMIT ?
                    """, arguments: [Self.maxPrompts])
            var found: [StoredPrompt] = []
            while let row = try rows.next() { if let prompt = StoredPrompt(row) { found.append(prompt) } }
            return found
        }
    }

    /// Returns the versions of a prompt, latest first; empty for an unknown one.
    public func versions(of id: String) async throws -> [StoredPrompt] {
        try await database.read { try Self.versions(of: id, in: $0) }
    }

    /// Returns the latest version of a prompt; nil for an unknown one.
    public func latest(_ id: String) async throws -> StoredPrompt? {
        try await database.read { try Self.versions(of: id, in: $0, limit: 1).first }
    }

    /// Stores a version; returns the latest one unchanged when its hash is equal.
    ///
    /// - Parameters:
    ///   - base: The beginning of the hash that the latest version must have; nil for any.
    ///   - original: The hash of the prompt before its first stored version; nil when there is none.
    /// - Throws: ``StorageError/Code/conflict`` for another latest version, and for more than ``maxPrompts``.
    public func save(
        _ id: String, document: String, hash: String, base: String? = nil, original: String? = nil
    ) async throws -> StoredPrompt {
        try await database.write { database in
            let latest = try Self.versions(of: id, in: database, limit: 1).first
            if let latest, latest.hash == hash { return latest }
            let count = try Scalar.count(
                database, sql: "SELECT count(DISTINCT prompt_id) FROM gateway_prompt_versions")
            try Self.check(id, after: latest, base: base, original: original, count: count ?? 0)
            let number = (latest?.number ?? 0) + 1
            try database.execute(
                sql: """
                    INSERT INTO gateway_prompt_versions (prompt_id, number, hash, document, created_at)
                    VALUES (?, ?, ?, ?, ?)
                    """, arguments: [id, number, hash, document, Timestamp.now])
            try database.execute(
                sql: "DELETE FROM gateway_prompt_versions WHERE prompt_id = ? AND number <= ?",
                arguments: [id, number - Self.maxVersions])
            guard let stored = try Self.versions(of: id, in: database, limit: 1).first else {
                throw StorageError(.failed, "the prompt \"\(id)\" cannot be read back")
            }
            return stored
        }
    }

    /// Deletes a prompt with its versions.
    ///
    /// - Returns: false when there is none.
    public func delete(_ id: String) async throws -> Bool {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM gateway_prompt_versions WHERE prompt_id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    private static func versions(
        of id: String, in database: Database, limit: Int = maxVersions
    ) throws -> [StoredPrompt] {
        try Row.fetchAll(
            database,
            sql: "SELECT * FROM gateway_prompt_versions WHERE prompt_id = ? ORDER BY number DESC LIMIT ?",
            arguments: [id, limit]
        ).compactMap { StoredPrompt($0) }
    }
}

/// A version of a prompt in the database.
public struct StoredPrompt: Sendable, Hashable {
    /// The prompt's id.
    public var id: String
    /// The version's number, from 1.
    public var number: Int
    /// The hash of the text.
    public var hash: String
    /// The text.
    public var document: String
    /// When it was stored, in UTC.
    public var createdAt: String

    package init(id: String, number: Int, hash: String, document: String, createdAt: String) {
        (self.id, self.number, self.hash, self.document) = (id, number, hash, document)
        self.createdAt = createdAt
    }

    /// Nil for a row that another program wrote or changed beyond reading.
    init?(_ row: Row) {
        guard let id = row.text("prompt_id"), let number = row.integer("number"), let document = row.text("document"),
            document.utf8.count <= ValueLimit.text
        else { return nil }
        self.id = id
        self.number = Int(clamping: number)
        hash = row.text("hash") ?? ""
        self.document = document
        createdAt = row.date("created_at") ?? ""
    }
}
