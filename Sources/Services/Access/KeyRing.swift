package import Database
import KeyRoom
import Synchronization

/// Finds the holder of a bearer token and the holder's rights.
///
/// Keys live in the database, where `selene keys` creates, changes and revokes them while the server runs. The ring
/// caches them and reads them again before its copy is older than ``freshness``, so a revoked key stops working within
/// that time. While a read takes long, because the machine is busy, the copy answers until it is as old as ``maxAge``.
/// From then on requests wait for the read, and fail when it fails. Tokens that are not keys are not stored.
package final class KeyRing: Sendable {
    /// The normal age limit of the cached keys.
    package static let freshness = Duration.milliseconds(250)
    /// The age from which the copy is renewed in the background while it still answers requests.
    private static let renewalAge = Duration.milliseconds(100)
    /// The age from which an unknown key has the keys read again. It bounds the reads that a flood of wrong keys causes.
    package static let missAge = Duration.milliseconds(5)
    /// How long a request waits for a read before an older copy answers it.
    private static let readTimeout = Duration.milliseconds(100)
    /// The age limit of the cached keys while a read takes long.
    static let maxAge = Duration.seconds(1)
    /// The age limit of the cached keys while the server that has them is away. Revocations are not learned meanwhile.
    static let outageAge = Duration.seconds(300)

    /// The result of checking a bearer token, or its absence.
    package enum Finding: Sendable, Hashable {
        /// A known holder, or any caller of a gateway that needs no key.
        case known(Identity)
        /// The holder of a key that has expired.
        case expired(Identity)
        /// A key is needed and the request has none.
        case missing
        /// A key is needed and the token is not one.
        case wrong
        /// The request has a credential that does not count, for a reason of its own.
        case refused(AccessRefusal)
    }

    /// Counts the use of keys.
    package let meter: KeyMeter
    package let clock: KeyClock
    /// Returns the model of an alias; returns any other name unchanged.
    package let resolve: @Sendable (String) -> String
    let buckets = Mutex<[Int64: RequestBucket]>([:])
    /// Limits reads of many rows.
    package let scans = KeyConcurrencyLimiter(.scans)
    /// The addresses that sent wrong keys.
    package let wrongKeys: WrongKeys
    /// Wrong pairing codes.
    package let pairingTries: PairingTries
    /// Signatures of requests that were used, so that none counts twice.
    let signatureUses = SignatureUses()
    let store: any SQLStore
    /// When sessions were used since the last write, in seconds since 1970, by session.
    let sessionUses = Mutex<[Int64: Int64]>([:])

    private let tokenHash: Mutex<KeyHash?>
    /// Counts the replacements of `SELENE_API_TOKEN`.
    private let tokenChanges = Atomic(0)
    private let machineKey = Mutex<KeyHash?>(nil)
    private let isLoopback: Bool
    private let state = Mutex(State())
    /// Set with the first credential and never reset: a gateway that needed a key needs one until it ends.
    private let everHadCredential: Atomic<Bool>

    private struct State {
        var table: KeyTable?
        /// The current read. Requests that arrive meanwhile share it.
        var reading: Reading?
        /// Whether the last read of shared keys failed.
        var isAway = false
    }

    private struct Reading {
        let result: Task<KeyTable, any Error>
        /// Ends with the read, or after ``readTimeout``.
        let finished: Task<Void, Never>
    }

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - token: `SELENE_API_TOKEN`.
    ///   - store: The store with the keys.
    ///   - isLoopback: Whether only this machine can reach the gateway.
    ///   - clock: The time of expiry, rates and quotas.
    ///   - resolve: Returns the model of an alias, since lists of models may contain aliases.
    package init(
        token: String?, store: any SQLStore, isLoopback: Bool, clock: KeyClock = .system,
        resolve: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.resolve = resolve
        tokenHash = Mutex(token.map { KeyHash(of: $0) })
        everHadCredential = Atomic(token != nil)
        wrongKeys = WrongKeys(clock: clock)
        pairingTries = PairingTries(clock: clock)
        self.store = store
        self.isLoopback = isLoopback
        self.clock = clock
        meter = KeyMeter(keys: store.keys, clock: clock)
    }

    /// Finds the holder of a token. Does not wait while the cached keys are fresh.
    ///
    /// A key is always needed, with one exception: on loopback, until a token is set or a key is created for the first
    /// time.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func find(bearer token: String?) async throws -> Finding {
        if let identity = holder(ofBearer: token) { return .known(identity) }
        let tokenHash = tokenHash.withLock { $0 }
        let table: KeyTable
        do {
            table = try await self.table()
        } catch {
            // The token needs no keys.
            guard let token, let tokenHash, tokenHash.matches(KeyHash(of: token)) else { throw error }
            return .known(.token)
        }
        let isNeeded = isNeeded(table)
        guard let token else { return isNeeded ? .missing : .known(.anonymous) }
        let hash = KeyHash(of: token)
        if let tokenHash, tokenHash.matches(hash) { return .known(.token) }
        var known = table.identity(of: hash)
        // A key that another process has just created is not in the cached keys yet.
        if known == nil, isNeeded { known = await tableAfterMiss(table).identity(of: hash) }
        guard let identity = known else { return isNeeded ? .wrong : .known(.anonymous) }
        return identity.grant.isExpired(at: clock.unixSeconds()) ? .expired(identity) : .known(identity)
    }

    /// Finds the holder of a key in front of a path, as ``find(bearer:)`` does.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func find(inPath key: String) async throws -> Finding {
        guard key.hasPrefix(Self.pathKeyPrefix) else { return .refused(.keyNotForPaths) }
        return try await find(bearer: key)
    }

    /// The holder of a valid key in front of a path, as ``holder(ofBearer:)``.
    package func holder(inPath key: String) -> Identity? {
        key.hasPrefix(Self.pathKeyPrefix) ? holder(ofBearer: key) : nil
    }

    /// The holder of a valid token, if the cached keys are fresh; nil when ``find(bearer:)`` has to look closer.
    package func holder(ofBearer token: String?) -> Identity? {
        guard let token, let table = freshTable() else { return nil }
        _ = isNeeded(table)
        let hash = KeyHash(of: token)
        if tokenHash.withLock({ $0?.matches(hash) }) == true { return .token }
        guard let identity = table.identity(of: hash), !identity.grant.isExpired(at: clock.unixSeconds()) else {
            return nil
        }
        return identity
    }

    /// Finds the holder of a browser session's secret. Does not wait while the cached keys are fresh.
    ///
    /// - Returns: The holder and the session; nil when there is no such session, or it or its key has ended.
    /// - Throws: ``StorageError`` when the keys cannot be read.
    func holder(ofSession secret: String) async throws -> (identity: Identity, session: WebSessionRecord)? {
        let hash = WebSessionRecord.hash(of: secret)
        var table = try await table()
        // The session may have been opened a moment ago.
        if table.session(of: hash) == nil { table = await tableAfterMiss(table) }
        let now = clock.unixSeconds()
        guard let session = table.session(of: hash), session.expiresAt > now else { return nil }
        switch session.owner {
        case .key(let id):
            guard let identity = table.identity(ofKey: id), !identity.grant.isExpired(at: now) else { return nil }
            return (identity.by(session.id), session)
        case .token(let binding):
            guard tokenBinding(of: secret) == binding else { return nil }
            return (Identity.token.by(session.id), session)
        }
    }

    /// Whether requests need a credential.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func needsCredential() async throws -> Bool { isNeeded(try await table()) }

    /// The binding of a session of `SELENE_API_TOKEN`; nil when there is no token.
    func tokenBinding(of secret: String) -> [UInt8]? { tokenHash.withLock { $0 }?.binding(of: secret) }

    /// Sets the key of this machine's command line.
    package func setMachineKey(_ key: String) { machineKey.withLock { $0 = KeyHash(of: key) } }

    /// Whether a token is the key of this machine's command line. Only a connection from this machine may use it, which the
    /// caller checks.
    package func isMachineKey(_ token: String?) -> Bool {
        guard let token, let key = machineKey.withLock({ $0 }) else { return false }
        return key.matches(KeyHash(of: token))
    }

    func isNeeded(_ table: KeyTable) -> Bool {
        if table.everHadKeys, !everHadCredential.load(ordering: .relaxed) {
            everHadCredential.store(true, ordering: .relaxed)
        }
        return !isLoopback || everHadCredential.load(ordering: .relaxed)
    }

    /// Replaces `SELENE_API_TOKEN`.
    package func setToken(_ token: String?) {
        let hash = token.map { KeyHash(of: $0) }
        if hash != nil { everHadCredential.store(true, ordering: .relaxed) }
        tokenHash.withLock { old in
            if hash.map({ old?.matches($0) == true }) != true { tokenChanges.add(1, ordering: .relaxed) }
            old = hash
        }
    }

    /// How often `SELENE_API_TOKEN` was replaced.
    var tokenGeneration: Int { tokenChanges.load(ordering: .relaxed) }

    /// Finds the holder of the live key with an id, with its rights now; nil when it or a key that made it was revoked.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func identity(ofKey id: Int64) async throws -> Identity? { try await table().identity(ofKey: id) }

    /// The cached keys if they are younger than ``freshness``. Has them renewed in the background before that.
    private func freshTable() -> KeyTable? {
        guard let table = state.withLock({ $0.table }) else { return nil }
        let age = ContinuousClock.now - table.readAt
        guard age < Self.freshness else { return nil }
        if age >= Self.renewalAge { _ = sharedRead() }
        return table
    }

    /// How old the cached keys may be now.
    private var ageLimit: Duration { state.withLock { $0.isAway } ? Self.outageAge : Self.maxAge }

    /// The keys, at most as old as ``freshness``, or ``maxAge`` while a read takes long, or ``outageAge`` in an outage.
    func table() async throws -> KeyTable {
        if let fresh = freshTable() { return fresh }
        let asked = ContinuousClock.now
        func isFresh(_ table: KeyTable) -> Bool { asked - table.readAt < Self.freshness }
        var last = state.withLock { $0.table }
        while true {
            let reading = sharedRead()
            guard let old = last, ContinuousClock.now - old.readAt < ageLimit else {
                let table: KeyTable
                do {
                    table = try await reading.result.value
                } catch {
                    // The first failure of an outage; the copy answers for longer from now on.
                    guard let old = last, ContinuousClock.now - old.readAt < ageLimit else { throw error }
                    return old
                }
                // A read that began too long ago is not enough: it may miss later revocations.
                if isFresh(table) { return table }
                last = table
                continue
            }
            await reading.finished.value
            let now = state.withLock { $0.table } ?? old
            // An older copy answers only until there is a newer one.
            if isFresh(now) || (now.readAt == old.readAt && ContinuousClock.now - old.readAt < ageLimit) {
                return now
            }
            last = now
        }
    }

    /// The keys, read after this call began unless they are younger than ``missAge`` or a read takes long.
    func tableAfterMiss(_ table: KeyTable) async -> KeyTable {
        let asked = ContinuousClock.now
        var newest = table
        // The first read may have begun before the key was created.
        for _ in 0..<2 where asked - newest.readAt >= Self.missAge {
            await sharedRead().finished.value
            newest = state.withLock { $0.table } ?? newest
        }
        return newest
    }

    /// Reads the keys again after a change by this process, so that the next request knows of it.
    package func readAgain() async {
        let asked = ContinuousClock.now
        // The first read may have begun before the change.
        for _ in 0..<2 {
            if let newest = state.withLock({ $0.table }), newest.readAt >= asked { return }
            _ = try? await sharedRead().result.value
        }
    }

    /// The current read, or a new one.
    private func sharedRead() -> Reading {
        state.withLock { state in
            if let reading = state.reading { return reading }
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            // A separate task, because the request that began the read may be cancelled while others wait for it. Its
            // priority is high, because requests wait for it.
            let result = Task(priority: .high) {
                defer { end.finish() }
                return try await self.readTable()
            }
            let timeout = Task {
                try? await Task.sleep(for: Self.readTimeout)
                end.finish()
            }
            let finished = Task {
                for await _ in ends {}
                timeout.cancel()
            }
            let reading = Reading(result: result, finished: finished)
            state.reading = reading
            return reading
        }
    }

    private func readTable() async throws -> KeyTable {
        defer { state.withLock { $0.reading = nil } }
        let readAt = ContinuousClock.now
        let snapshot: KeySnapshot
        do {
            snapshot = try await meter.readKeys()
        } catch {
            state.withLock { $0.isAway = store.dialect == .postgres }
            throw error
        }
        let table = KeyTable(snapshot, readAt: readAt)
        state.withLock { state in
            state.table = table
            state.isAway = false
        }
        buckets.withLock { buckets in
            if buckets.count > table.ids.count { buckets = buckets.filter { table.ids.contains($0.key) } }
        }
        return table
    }
}
