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
    /// Reads a row of `gateway_keys`; nil when it has no id. A damaged term never opens a door: such a key has expired.
    init?(row: Row) {
        guard let id = row.integer("id") else { return nil }
        let (scopes, models) = (row.text("scopes"), row.text("models"))
        let (requests, tokens) = (row.integer("requests_per_minute"), row.integer("tokens_per_day"))
        let isDamaged =
            scopes == nil || models == nil || row.hasValue("requests_per_minute") && requests.map { $0 >= 1 } != true
            || row.hasValue("tokens_per_day") && tokens.map { $0 >= 1 } != true
        let expires = row.hasValue("expires_at") ? row.text("expires_at").flatMap(Timestamp.unixSeconds) ?? 0 : nil
        self.init(
            id: id, name: row.text("name") ?? "", hash: Array(row.bytes("hash") ?? Data()),
            prefix: row.text("prefix") ?? "",
            grant: KeyGrant(
                scopes: Set(Self.words(scopes ?? "").map(KeyScope.init(rawValue:))), models: Self.words(models ?? ""),
                expiresAt: isDamaged ? 0 : expires, requestsPerMinute: requests.map { Int(clamping: $0) },
                tokensPerDay: tokens.map { Int(clamping: $0) }),
            createdAt: row.text("created_at") ?? "", lastUsedAt: row.text("last_used_at"),
            // A mark that cannot be read is a mark.
            revokedAt: row.hasValue("revoked_at") ? row.text("revoked_at") ?? "" : nil)
    }

    /// The rows, by id.
    static func fetch(_ database: Database) throws -> [KeyRecord] {
        try Row.fetchAll(database, sql: "SELECT * FROM gateway_keys ORDER BY id").compactMap { KeyRecord(row: $0) }
    }

    /// Words with spaces between them, as lists stand in the table.
    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
