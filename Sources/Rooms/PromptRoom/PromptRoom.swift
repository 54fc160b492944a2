package import Database

extension SQLStore {
    /// The user's prompts.
    package var prompts: PromptRoom { PromptRoom(store: self) }
}

/// Stores the user's prompts as text, each edit as a version. What the text means is the caller's matter.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct PromptRoom: Sendable {
    let store: any SQLStore

    /// The maximum number of prompts.
    package static let maxPrompts = 500
    /// The number of versions to keep of a prompt; older ones are deleted.
    package static let maxVersions = 100

    package static let tables = [
        RoomTable("gateway_prompt_versions", key: "prompt_id", "number", pageSize: 20),
        RoomTable("gateway_bench_runs", id: "id", pageSize: 8),
    ]

    private static let columns = "prompt_id, number, hash, document, created_at"

    /// Returns the latest version of every prompt, by id.
    package func all() async throws -> [StoredPrompt] {
        try await store.rows(
            """
            SELECT \(Self.columns) FROM gateway_prompt_versions p
            WHERE number = (SELECT max(number) FROM gateway_prompt_versions WHERE prompt_id = p.prompt_id)
            ORDER BY prompt_id LIMIT $1
            """, [.count(Self.maxPrompts)]
        ).compactMap { StoredPrompt($0) }
    }

    /// Returns the versions of a prompt, latest first; empty for an unknown one.
    package func versions(of id: String) async throws -> [StoredPrompt] {
        try await store.snapshot { try Self.versions(of: id, in: $0) }
    }

    /// Returns the latest version of a prompt; nil for an unknown one.
    package func latest(_ id: String) async throws -> StoredPrompt? {
        try await store.snapshot { try Self.versions(of: id, in: $0, limit: 1).first }
    }

    /// Stores a version; returns the latest one unchanged when its hash is equal.
    ///
    /// - Parameters:
    ///   - base: The beginning of the hash that the latest version must have; nil for any.
    ///   - original: The hash of the prompt before its first stored version; nil when there is none.
    /// - Throws: ``StorageError/Code/conflict`` for another latest version, and for more than ``maxPrompts``.
    package func save(
        _ id: String, document: String, hash: String, base: String? = nil, original: String? = nil
    ) async throws -> StoredPrompt {
        try await store.transaction { session in
            // Versions follow each other.
            try session.lock("gateway_prompt_versions")
            let latest = try Self.versions(of: id, in: session, limit: 1).first
            if let latest, latest.hash == hash { return latest }
            if let base {
                guard let current = latest?.hash ?? original, !base.isEmpty, current.hasPrefix(base) else {
                    throw StorageError(
                        .conflict, "the prompt \"\(id)\" has changed since version \(base); read it and edit it again")
                }
            }
            if latest == nil {
                let count = try session.first("SELECT count(DISTINCT prompt_id) FROM gateway_prompt_versions")
                guard (count?.count(0) ?? 0) < Self.maxPrompts else {
                    throw StorageError(.conflict, "there are \(Self.maxPrompts) own prompts, which is the limit")
                }
            }
            let number = Int64(latest?.number ?? 0) + 1
            let row = try session.first(
                """
                INSERT INTO gateway_prompt_versions (\(Self.columns)) VALUES ($1, $2, $3, $4, $5)
                RETURNING \(Self.columns)
                """,
                [.text(id), .integer(number), .text(hash), .text(document), .text(try session.clock().text)])
            try session.run(
                "DELETE FROM gateway_prompt_versions WHERE prompt_id = $1 AND number <= $2",
                [.text(id), .integer(number - Int64(Self.maxVersions))])
            guard let stored = row.flatMap({ StoredPrompt($0) }) else {
                throw StorageError(.failed, "the prompt \"\(id)\" cannot be read back")
            }
            return stored
        }
    }

    /// Deletes a prompt with its versions.
    ///
    /// - Returns: false when there is none.
    package func delete(_ id: String) async throws -> Bool {
        try await store.run("DELETE FROM gateway_prompt_versions WHERE prompt_id = $1", [.text(id)]) > 0
    }

    private static func versions(
        of id: String, in session: any SQLSession, limit: Int = maxVersions
    ) throws -> [StoredPrompt] {
        try session.rows(
            "SELECT \(columns) FROM gateway_prompt_versions WHERE prompt_id = $1 ORDER BY number DESC LIMIT $2",
            [.text(id), .count(limit)]
        ).compactMap { StoredPrompt($0) }
    }
}

/// A version of a prompt in the database.
package struct StoredPrompt: Sendable, Hashable {
    package var id: String
    /// The version's number, from 1.
    package var number: Int
    /// The hash of the text.
    package var hash: String
    /// The text.
    package var document: String
    /// When it was stored, in UTC.
    package var createdAt: String

    /// Nil for a row that another program wrote or changed beyond reading.
    init?(_ row: SQLRow) {
        guard let id = row.text(0), let number = row.integer(1), let document = row.text(3),
            document.utf8.count <= ValueLimit.text
        else { return nil }
        (self.id, self.document) = (id, document)
        self.number = Int(clamping: number)
        hash = row.text(2) ?? ""
        createdAt = row.date(4) ?? ""
    }
}
