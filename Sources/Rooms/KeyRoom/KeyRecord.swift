import Database
import GatewayAPI

/// A key as stored: its hash, never the key.
package struct KeyRecord: Sendable, Hashable {
    /// The row's id.
    package var id: Int64
    package var name: String
    /// SHA-256 of the key.
    package var hash: [UInt8]
    /// The key's first characters, or those of a signing key's fingerprint, which identify it in lists.
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
    /// What the client sends.
    package var secret: String
}

extension KeyRecord {
    /// All columns but the id, in the order of ``values``.
    static let valueColumns =
        (["name", "hash", "prefix", "created_at", "last_used_at", "revoked_at"] + KeyGrant.columns() + ["parent"])
        .joined(separator: ", ")
    static let columns = "id, " + valueColumns

    static func expiry(_ seconds: Int64?) -> SQLValue { .text(seconds.map(Timestamp.text)) }

    var values: [SQLValue] {
        [.text(name), .bytes(hash), .text(prefix), .text(createdAt), .text(lastUsedAt), .text(revokedAt)]
            + grant.values(expiry: Self.expiry) + [.integer(parent)]
    }

    /// Reads ``columns``; nil without an id. A key with a damaged grant counts as expired.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0) else { return nil }
        let parent = 7 + KeyGrant.columns().count
        self.init(
            id: id, name: row.text(1) ?? "", hash: row.bytes(2) ?? [], prefix: row.text(3) ?? "",
            grant: KeyGrant(row, from: 7) { row.text($0).flatMap(Timestamp.unixSeconds) },
            createdAt: row.text(4) ?? "", lastUsedAt: row.text(5),
            // An unreadable time of revocation still revokes the key.
            revokedAt: row.isNull(6) ? nil : row.text(6) ?? "",
            parent: row.isNull(parent) ? nil : row.integer(parent) ?? -1)
    }
}
