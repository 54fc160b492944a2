import Storage

/// The live keys as they were at one moment, ready to be compared.
struct KeyTable: Sendable {
    /// When the database was asked; what it answered is not older.
    let readAt: ContinuousClock.Instant
    /// Whether a key was ever made, be it revoked by now.
    let everHadKeys: Bool
    /// The ids of live keys.
    let ids: Set<Int64>
    private let keys: [(hash: KeyHash, identity: Identity)]

    init(_ records: [KeyRecord], readAt: ContinuousClock.Instant) {
        self.readAt = readAt
        everHadKeys = !records.isEmpty
        let live = records.filter { $0.revokedAt == nil }
        ids = Set(live.map(\.id))
        keys = live.compactMap { record in
            KeyHash(bytes: record.hash).map { hash in
                (hash, Identity(holder: .key(id: record.id, name: record.name), grant: record.grant))
            }
        }
    }

    /// Who holds the live key with this id; nil when nobody does.
    func identity(ofKey id: Int64) -> Identity? { keys.first { $0.identity.keyID == id }?.identity }

    /// Who holds the key with this hash; nil when nobody does.
    func identity(of hash: KeyHash) -> Identity? {
        // Every key is compared, so that the time taken tells nothing about which one came near.
        var found = -1
        for index in keys.indices { found = keys[index].hash.matches(hash) ? index : found }
        return found < 0 ? nil : keys[found].identity
    }
}
