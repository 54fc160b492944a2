import KeyRoom

/// The live keys and the browser sessions at one moment, prepared for comparison.
struct KeyTable: Sendable {
    /// When the read began; its result is not older.
    let readAt: ContinuousClock.Instant
    /// Whether a key was ever created, even if it was revoked since.
    let everHadKeys: Bool
    /// The ids of live keys. A key is not live when one that made it was revoked.
    let ids: Set<Int64>
    /// Which key made which.
    let families: KeyFamilies
    private let keys: [(hash: KeyHash, identity: Identity)]
    /// Keys with which clients sign, by the hash of their public half, which is no secret. None of them is a token.
    private let signers: [[UInt8]: Identity]
    /// Sessions by the hash of their secret. A secret has 256 random bits, so the time of a look-up reveals nothing.
    private let sessions: [[UInt8]: WebSessionRecord]

    init(_ snapshot: KeySnapshot, readAt: ContinuousClock.Instant) {
        let records = snapshot.keys
        self.readAt = readAt
        sessions = Dictionary(snapshot.sessions.map { ($0.hash, $0) }) { first, _ in first }
        everHadKeys = !records.isEmpty
        let families = KeyFamilies(records)
        self.families = families
        let live = records.map(families.effective).filter { $0.revokedAt == nil }
        ids = Set(live.map(\.id))
        func identity(_ record: KeyRecord) -> Identity {
            let limits = families.line(of: record.id).compactMap { key in
                KeyAllowance(key.id, key.grant, members: [key.id] + families.descendants(of: key.id).map(\.id))
            }
            return Identity(
                holder: .key(id: record.id, name: record.name), grant: record.grant,
                rootKey: families.root(of: record.id), allowances: limits)
        }
        keys = live.filter { $0.kind != .signature }.compactMap { record in
            KeyHash(bytes: record.hash).map { ($0, identity(record)) }
        }
        signers = Dictionary(live.filter { $0.kind == .signature }.map { ($0.hash, identity($0)) }) { first, _ in first
        }
    }

    /// The session with a secret's hash, expired or not; nil when there is none.
    func session(of hash: [UInt8]) -> WebSessionRecord? { sessions[hash] }

    /// Whether a session is there and has not expired.
    func hasSession(_ id: Int64, at now: Int64) -> Bool {
        sessions.values.contains { $0.id == id && $0.expiresAt > now }
    }

    /// The holder of the live key with an id; nil when there is none.
    func identity(ofKey id: Int64) -> Identity? {
        keys.first { $0.identity.keyID == id }?.identity ?? signers.values.first { $0.keyID == id }
    }

    /// The holder of a key with which clients sign; nil when there is none.
    func identity(of key: SigningKey) -> Identity? { signers[key.hash] }

    /// The holder of the key with a hash; nil when there is none.
    func identity(of hash: KeyHash) -> Identity? {
        // Compares every key, so that the time does not reveal which key came close.
        var found = -1
        for index in keys.indices { found = keys[index].hash.matches(hash) ? index : found }
        return found < 0 ? nil : keys[found].identity
    }
}
