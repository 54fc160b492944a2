import Database

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
    static let grantColumns = KeyGrant.columns(expiry: "key_expires_at")
    static let columns =
        (["id", "poll_hash", "name", "user_agent", "address", "granted_by", "expires_at"] + grantColumns)
        .joined(separator: ", ")

    /// Reads ``columns``; nil without an id or a time.
    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let expiresAt = row.integer(6) else { return nil }
        let grant = row.isNull(7) ? nil : KeyGrant(row, from: 7) { row.integer($0) }
        self.init(
            name: row.text(2) ?? "", userAgent: row.text(3) ?? "", address: row.text(4) ?? "", grant: grant,
            grantedBy: row.integer(5), expiresAt: expiresAt, pollHash: row.bytes(1), id: id)
    }
}
