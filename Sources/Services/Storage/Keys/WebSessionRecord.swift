import Cryptography
import Foundation
import GRDB

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
    /// Reads a row of `gateway_web_sessions`; nil when a value is missing or has another type.
    init?(row: Row) {
        guard let id = row.integer("id"), let hash = row.bytes("hash"), let createdAt = row.integer("created_at"),
            let lastUsedAt = row.integer("last_used_at"), let expiresAt = row.integer("expires_at")
        else { return nil }
        let owner: Owner
        if let key = row.integer("key_id") {
            owner = .key(key)
        } else if let binding = row.bytes("token_binding"), binding.count == 32 {
            owner = .token(binding: Array(binding))
        } else {
            return nil
        }
        self.init(
            id: id, hash: Array(hash), owner: owner, userAgent: row.text("user_agent") ?? "", createdAt: createdAt,
            lastUsedAt: lastUsedAt, expiresAt: expiresAt)
    }

    /// Reads all sessions, by id.
    static func fetch(_ database: Database) throws -> [WebSessionRecord] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_web_sessions ORDER BY id LIMIT ?",
            arguments: [WebSessionStore.maxSessions]
        ).compactMap { WebSessionRecord(row: $0) }
    }
}
