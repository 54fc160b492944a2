import Cryptography
import Foundation
import GRDB

/// A pairing that waits: an offer for a new device, or the request of one.
package struct PairingRecord: Sendable, Hashable {
    /// The name for the device's key.
    package var name: String
    /// The new device's browser; empty for an offer.
    package var userAgent: String
    /// The new device's address; empty for an offer.
    package var address: String
    /// The rights of the device's key; nil until a request is approved.
    package var grant: KeyGrant?
    /// The key that offered or approved; nil for the command line and for `SELENE_API_TOKEN`.
    package var grantedBy: Int64?
    /// When the code stops working, in seconds since 1970.
    package var expiresAt: Int64
    /// SHA-256 of the secret that a new device polls with; nil for an offer.
    package var pollHash: [UInt8]?
    package var id: Int64

    package init(
        name: String, userAgent: String, address: String, grant: KeyGrant? = nil, grantedBy: Int64? = nil,
        expiresAt: Int64, pollHash: [UInt8]? = nil, id: Int64 = 0
    ) {
        self.name = name
        self.userAgent = userAgent
        self.address = address
        self.grant = grant
        self.grantedBy = grantedBy
        self.expiresAt = expiresAt
        self.pollHash = pollHash
        self.id = id
    }
}

extension PairingRecord {
    /// Reads a row of `gateway_pairings`; nil when a value is missing or has another type.
    init?(row: Row) {
        guard let id = row.integer("id"), let expiresAt = row.integer("expires_at") else { return nil }
        let grant = row.text("scopes").map { scopes in
            KeyGrant(
                storedScopes: scopes, models: row.text("models") ?? "", expiresAt: row.integer("key_expires_at"),
                requestsPerMinute: row.integer("requests_per_minute"), tokensPerDay: row.integer("tokens_per_day"))
        }
        self.init(
            name: row.text("name") ?? "", userAgent: row.text("user_agent") ?? "", address: row.text("address") ?? "",
            grant: grant, grantedBy: row.integer("granted_by"), expiresAt: expiresAt,
            pollHash: row.bytes("poll_hash").map { Array($0) }, id: id)
    }

    /// Finds the pairing of a code that has not expired.
    static func find(_ code: PairingCode, now: Int64, _ database: Database) throws -> PairingRecord? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM gateway_pairings WHERE code_hash = ? AND expires_at > ?",
            arguments: [RandomSecret.hash(code.text), now]
        ).flatMap { PairingRecord(row: $0) }
    }
}
