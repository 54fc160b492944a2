import Foundation
import GRDB

/// A key as the database knows it: its hash, never the key.
public struct KeyRecord: Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// The name that it was given.
    public var name: String
    /// SHA-256 of the key.
    public var hash: [UInt8]
    /// The key's first characters, to tell keys apart.
    public var prefix: String
    /// What it may be used for, how much, and until when.
    public var grant: KeyGrant
    /// When it was made.
    public var createdAt: String
    /// When it was last used, to a few seconds.
    public var lastUsedAt: String?
    /// When it was revoked.
    public var revokedAt: String?
}

/// A key that was just made; the only moment at which the secret is known.
public struct NewKey: Sendable {
    /// The row.
    public var record: KeyRecord
    /// What the client sends as its bearer token.
    public var secret: String
}

extension KeyRecord {
    /// Reads a row of `gateway_keys`.
    init(row: Row) {
        let hash: Data = row["hash"]
        let expires: String? = row["expires_at"]
        self.init(
            id: row["id"], name: row["name"], hash: Array(hash), prefix: row["prefix"],
            grant: KeyGrant(
                scopes: Set(Self.words(row["scopes"]).map(KeyScope.init(rawValue:))), models: Self.words(row["models"]),
                // What cannot be read as a date has expired: a damaged row must not open a door.
                expiresAt: expires.map { Timestamp.unixSeconds($0) ?? 0 },
                requestsPerMinute: row["requests_per_minute"], tokensPerDay: row["tokens_per_day"]),
            createdAt: row["created_at"], lastUsedAt: row["last_used_at"], revokedAt: row["revoked_at"])
    }

    /// The rows, by id.
    static func fetch(_ database: Database) throws -> [KeyRecord] {
        try Row.fetchAll(database, sql: "SELECT * FROM gateway_keys ORDER BY id").map { KeyRecord(row: $0) }
    }

    /// Words with spaces between them, as lists stand in the table.
    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
