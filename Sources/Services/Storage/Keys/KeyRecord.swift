import Foundation
import GRDB
import GatewayAPI

/// A key as stored: its hash, never the key.
package struct KeyRecord: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    package var name: String
    /// SHA-256 of the key.
    package var hash: [UInt8]
    /// The key's first characters, which identify it in lists.
    package var prefix: String
    /// The key's permissions.
    package var grant: KeyGrant
    /// When the key was created, `YYYY-MM-DD HH:MM:SS` in UTC.
    package var createdAt: String
    /// When the key was last used, accurate to a few seconds; nil when never.
    package var lastUsedAt: String?
    /// When the key was revoked; nil for a live key.
    package var revokedAt: String?
    /// The key that made this one; nil for one of the command line and of `SELENE_API_TOKEN`.
    package var parent: Int64?

    package init(
        id: Int64, name: String, hash: [UInt8], prefix: String, grant: KeyGrant, createdAt: String,
        lastUsedAt: String? = nil, revokedAt: String? = nil, parent: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.hash = hash
        self.prefix = prefix
        self.grant = grant
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.revokedAt = revokedAt
        self.parent = parent
    }
}

/// A new key with its secret, which is known only at creation.
package struct NewKey: Sendable {
    /// The stored key.
    package var record: KeyRecord
    /// The bearer token of the client.
    package var secret: String
}

extension KeyRecord {
    /// Reads a row of `gateway_keys`; nil when it has no id. A key with a damaged grant counts as expired.
    init?(row: Row) {
        guard let id = row.integer("id") else { return nil }
        // 0 for a value of another type: a limit that cannot be.
        func limit(_ column: String) -> Int64? { row.hasValue(column) ? row.integer(column) ?? 0 : nil }
        let expires = row.hasValue("expires_at") ? row.text("expires_at").flatMap(Timestamp.unixSeconds) ?? 0 : nil
        self.init(
            id: id, name: row.text("name") ?? "", hash: Array(row.bytes("hash") ?? Data()),
            prefix: row.text("prefix") ?? "",
            grant: KeyGrant(
                storedScopes: row.text("scopes"), models: row.text("models"), expiresAt: expires,
                requestsPerMinute: limit("requests_per_minute"), tokensPerDay: limit("tokens_per_day")),
            createdAt: row.text("created_at") ?? "", lastUsedAt: row.text("last_used_at"),
            // An unreadable time of revocation still revokes the key.
            revokedAt: row.hasValue("revoked_at") ? row.text("revoked_at") ?? "" : nil,
            parent: row.hasValue("parent") ? row.integer("parent") ?? -1 : nil)
    }

    /// Reads all keys, by id.
    static func fetch(_ database: Database) throws -> [KeyRecord] {
        try Row.fetchAll(database, sql: "SELECT * FROM gateway_keys ORDER BY id").compactMap { KeyRecord(row: $0) }
    }
}
