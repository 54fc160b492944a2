import Cryptography
import Database

/// A browser session as stored: the hash of its secret, never the secret.
package struct WebSessionRecord: Sendable, Hashable {
    /// The credential that a session was opened with. The session has its rights and ends with it.
    package enum Owner: Sendable, Hashable {
        /// A key, by its id.
        case key(Int64)
        /// `SELENE_API_TOKEN`, by ``KeyHash/binding(of:)``.
        case token(binding: [UInt8])
    }

    /// The row's id.
    package var id: Int64
    /// SHA-256 of the session's secret.
    package var hash: [UInt8]
    /// The credential.
    package var owner: Owner
    /// The browser's name for itself, shortened.
    package var userAgent: String
    /// When the session was opened, in seconds since 1970.
    package var createdAt: Int64
    /// When the session was last used, in seconds since 1970, accurate to a minute.
    package var lastUsedAt: Int64
    /// When the session ends unless it is used again, in seconds since 1970.
    package var expiresAt: Int64

    package init(
        id: Int64, hash: [UInt8], owner: Owner, userAgent: String, createdAt: Int64, lastUsedAt: Int64, expiresAt: Int64
    ) {
        self.id = id
        self.hash = hash
        self.owner = owner
        self.userAgent = userAgent
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    /// SHA-256 of a session's secret.
    package static func hash(of secret: String) -> [UInt8] { Array(RandomSecret.hash(secret)) }
}

extension WebSessionRecord {
    /// All columns but the id, in the order of ``values``.
    static let valueColumns = "hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at"
    static let columns = "id, " + valueColumns

    var values: [SQLValue] {
        let (key, binding): (Int64?, [UInt8]?) =
            switch owner {
            case .key(let id): (id, nil)
            case .token(let binding): (nil, binding)
            }
        return [
            .bytes(hash), .integer(key), .bytes(binding), .text(userAgent), .integer(createdAt), .integer(lastUsedAt),
            .integer(expiresAt),
        ]
    }

    /// Reads ``columns``; nil when a value is missing or has another type.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let hash = row.bytes(1), let createdAt = row.integer(5),
            let lastUsedAt = row.integer(6), let expiresAt = row.integer(7)
        else { return nil }
        let owner: Owner
        if let key = row.integer(2) {
            owner = .key(key)
        } else if let binding = row.bytes(3), binding.count == 32 {
            owner = .token(binding: binding)
        } else {
            return nil
        }
        self.init(
            id: id, hash: hash, owner: owner, userAgent: row.text(4) ?? "", createdAt: createdAt,
            lastUsedAt: lastUsedAt, expiresAt: expiresAt)
    }
}
