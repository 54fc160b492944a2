import Crypto
public import Foundation
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
    /// When it was made.
    public var createdAt: String
    /// When it was last used, to half a minute.
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

/// Hashes of keys.
public enum KeyHash {
    /// Compares two hashes in a time that depends on their length only.
    public static func matches(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}

extension GatewayDatabase {
    /// Makes a key of 256 random bits; only its hash is stored.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when a live key has the name, ``StorageError/Code/invalid`` for an empty
    ///   or overlong name.
    public func createKey(name: String) async throws -> NewKey {
        guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= 100 else {
            throw StorageError(.invalid, "a key needs a name of 1 to 100 bytes")
        }
        let secret =
            "slk_"
            + SymmetricKey(size: .bits256).withUnsafeBytes { bytes in
                Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                    .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
            }
        let hash = Data(SHA256.hash(data: Data(secret.utf8)))
        let prefix = String(secret.prefix(10))
        return try await write { database in
            let taken = try Int.fetchOne(
                database, sql: "SELECT 1 FROM gateway_keys WHERE name = ? AND revoked_at IS NULL", arguments: [name])
            guard taken == nil else {
                throw StorageError(.conflict, "there is a key named \"\(name)\" already; revoke it first")
            }
            let now = Timestamp.now
            try database.execute(
                sql: "INSERT INTO gateway_keys (name, hash, prefix, created_at) VALUES (?, ?, ?, ?)",
                arguments: [name, hash, prefix, now])
            let record = KeyRecord(
                id: database.lastInsertedRowID, name: name, hash: Array(hash), prefix: prefix, createdAt: now)
            return NewKey(record: record, secret: secret)
        }
    }

    /// All keys, those that were revoked too, by id.
    public func keys() async throws -> [KeyRecord] {
        try await read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM gateway_keys ORDER BY id").map { row in
                let hash: Data = row["hash"]
                return KeyRecord(
                    id: row["id"], name: row["name"], hash: Array(hash), prefix: row["prefix"],
                    createdAt: row["created_at"], lastUsedAt: row["last_used_at"], revokedAt: row["revoked_at"])
            }
        }
    }

    /// Revokes the live key of that name or id.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    public func revokeKey(_ nameOrID: String) async throws {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_keys SET revoked_at = ?1 WHERE revoked_at IS NULL
                    AND (name = ?2 OR (CAST(id AS TEXT) = ?2
                        AND NOT EXISTS (SELECT 1 FROM gateway_keys k WHERE k.name = ?2 AND k.revoked_at IS NULL)))
                    """, arguments: [Timestamp.now, nameOrID])
            guard database.changesCount > 0 else {
                throw StorageError(.notFound, "there is no live key \"\(nameOrID)\"")
            }
        }
    }

    /// Notes when keys were last used.
    public func touchKeys(_ uses: [Int64: Date]) async throws {
        try await write { database in
            for (id, date) in uses {
                try database.execute(
                    sql: "UPDATE gateway_keys SET last_used_at = ? WHERE id = ?",
                    arguments: [Timestamp.text(Int64(date.timeIntervalSince1970)), id])
            }
        }
    }
}
