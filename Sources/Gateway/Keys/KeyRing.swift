import Storage
import Synchronization
import Upstream

/// Decides who a bearer token belongs to, and what its holder may do.
///
/// Keys live in the database, where `selene keys` makes, changes and revokes them while the server runs; the ring reads
/// them again when its copy is older than ``freshness``, so a revoked key stops working within that time. Nothing is kept
/// of a token that is not a key.
final class KeyRing: Sendable {
    /// How old the copy of the keys may be.
    static let freshness = Duration.milliseconds(250)

    /// What a bearer token, or the lack of one, turned out to be.
    enum Finding: Sendable, Hashable {
        /// Somebody known, or anybody on a gateway that needs no key.
        case known(Identity)
        /// The holder of a key that has expired.
        case expired(Identity)
        /// A key is needed and none came.
        case missing
        /// A key is needed and what came is none.
        case wrong
    }

    /// What is done with keys.
    let meter: KeyMeter
    let clock: KeyClock
    /// What aliases stand for.
    let rules: ModelRules
    let buckets = Mutex<[Int64: RequestBucket]>([:])

    private let tokenHash: Mutex<KeyHash?>
    private let isLoopback: Bool
    private let state = Mutex(State())

    private struct State {
        var table: KeyTable?
        /// A read that is under way; whoever comes meanwhile shares it.
        var reading: Task<KeyTable, any Error>?
    }

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - token: `SELENE_API_TOKEN`.
    ///   - database: Where the keys are.
    ///   - isLoopback: Whether only this machine can reach the gateway.
    ///   - clock: The time of expiry, rates and quotas.
    ///   - rules: Aliases that lists of models may speak of.
    init(
        token: String?, database: GatewayDatabase, isLoopback: Bool, clock: KeyClock = .system,
        rules: ModelRules = .none
    ) {
        self.rules = rules
        tokenHash = Mutex(token.map { KeyHash(of: $0) })
        self.isLoopback = isLoopback
        self.clock = clock
        meter = KeyMeter(database: database, clock: clock)
    }

    /// Who sends this token. Comes back without waiting as long as the copy of the keys is fresh.
    ///
    /// A key is needed always, except on loopback as long as no token and no key was ever made.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    func find(bearer token: String?) async throws -> Finding {
        let table = try await table()
        let tokenHash = tokenHash.withLock { $0 }
        let isNeeded = tokenHash != nil || !isLoopback || table.everHadKeys
        guard let token else { return isNeeded ? .missing : .known(.anonymous) }
        let hash = KeyHash(of: token)
        if let tokenHash, tokenHash.matches(hash) { return .known(.token) }
        guard let identity = table.identity(of: hash) else { return isNeeded ? .wrong : .known(.anonymous) }
        return identity.grant.isExpired(at: clock.unixSeconds()) ? .expired(identity) : .known(identity)
    }

    /// Another `SELENE_API_TOKEN` holds from now on.
    func setToken(_ token: String?) {
        let hash = token.map { KeyHash(of: $0) }
        tokenHash.withLock { $0 = hash }
    }

    /// Who holds the live key with this id; nil when it was revoked.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    func identity(ofKey id: Int64) async throws -> Identity? { try await table().identity(ofKey: id) }

    /// The keys, no older than ``freshness``.
    private func table() async throws -> KeyTable {
        let asked = ContinuousClock.now
        func isFresh(_ table: KeyTable) -> Bool { asked - table.readAt < Self.freshness }
        while true {
            if let table = state.withLock({ $0.table }), isFresh(table) { return table }
            // A read that another request began long ago does not do: it may not know what was revoked since.
            let table = try await sharedRead().value
            if isFresh(table) { return table }
        }
    }

    private func sharedRead() -> Task<KeyTable, any Error> {
        state.withLock { state in
            if let reading = state.reading { return reading }
            // A task of its own, since the request that began it may be cancelled while others wait for it.
            let reading = Task {
                defer { self.state.withLock { $0.reading = nil } }
                let readAt = ContinuousClock.now
                let table = KeyTable(try await self.meter.readKeys(), readAt: readAt)
                self.state.withLock { $0.table = table }
                self.buckets.withLock { buckets in
                    if buckets.count > table.ids.count { buckets = buckets.filter { table.ids.contains($0.key) } }
                }
                return table
            }
            state.reading = reading
            return reading
        }
    }
}
