package import Storage
import Synchronization

/// Decides who a bearer token belongs to, and what its holder may do.
///
/// Keys live in the database, where `selene keys` makes, changes and revokes them while the server runs. The ring reads
/// them again before its copy is older than ``freshness``, so a revoked key stops working within that time. While a read
/// takes long, because the machine is busy, the copy answers until it is as old as ``maxAge``; from then on requests wait for
/// the read, and fail when it fails. Nothing is kept of a token that is not a key.
package final class KeyRing: Sendable {
    /// How old the copy of the keys may be when a request comes.
    package static let freshness = Duration.milliseconds(250)
    /// The age from which the copy is read anew beside the requests that it still answers.
    private static let renewalAge = Duration.milliseconds(100)
    /// How long a request waits for a read before an older copy answers it.
    private static let readTimeout = Duration.milliseconds(100)
    /// How old the copy may be while a read takes long.
    static let maxAge = Duration.seconds(1)

    /// What a bearer token, or the lack of one, turned out to be.
    package enum Finding: Sendable, Hashable {
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
    package let meter: KeyMeter
    package let clock: KeyClock
    /// The model that an alias stands for; any other name as it is.
    package let resolve: @Sendable (String) -> String
    let buckets = Mutex<[Int64: RequestBucket]>([:])
    /// Places for reads that look at many rows.
    package let scans = KeyShare(.scans)
    /// Where keys that are none came from.
    package let wrongKeys: WrongKeys

    private let tokenHash: Mutex<KeyHash?>
    private let isLoopback: Bool
    private let state = Mutex(State())
    /// Set with the first credential and never reset: a gateway that needed a key needs one until it ends.
    private let everHadCredential: Atomic<Bool>

    private struct State {
        var table: KeyTable?
        /// A read that is under way; requests that come meanwhile share it.
        var reading: Reading?
    }

    private struct Reading {
        let result: Task<KeyTable, any Error>
        /// Ends with the read, or after ``readTimeout``.
        let settled: Task<Void, Never>
    }

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - token: `SELENE_API_TOKEN`.
    ///   - database: Where the keys are.
    ///   - isLoopback: Whether only this machine can reach the gateway.
    ///   - clock: The time of expiry, rates and quotas.
    ///   - resolve: Gives the model that an alias stands for, since lists of models may speak of aliases.
    package init(
        token: String?, database: GatewayDatabase, isLoopback: Bool, clock: KeyClock = .system,
        resolve: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.resolve = resolve
        tokenHash = Mutex(token.map { KeyHash(of: $0) })
        everHadCredential = Atomic(token != nil)
        wrongKeys = WrongKeys(clock: clock)
        self.isLoopback = isLoopback
        self.clock = clock
        meter = KeyMeter(keys: database.keys, clock: clock)
    }

    /// Who sends this token. Comes back without waiting as long as the copy of the keys is fresh.
    ///
    /// A key is needed always, except on loopback as long as there was no token since the start and no key was ever made.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func find(bearer token: String?) async throws -> Finding {
        let table = try await table()
        let tokenHash = tokenHash.withLock { $0 }
        if table.everHadKeys, !everHadCredential.load(ordering: .relaxed) {
            everHadCredential.store(true, ordering: .relaxed)
        }
        let isNeeded = !isLoopback || everHadCredential.load(ordering: .relaxed)
        guard let token else { return isNeeded ? .missing : .known(.anonymous) }
        let hash = KeyHash(of: token)
        if let tokenHash, tokenHash.matches(hash) { return .known(.token) }
        guard let identity = table.identity(of: hash) else { return isNeeded ? .wrong : .known(.anonymous) }
        return identity.grant.isExpired(at: clock.unixSeconds()) ? .expired(identity) : .known(identity)
    }

    /// Another `SELENE_API_TOKEN` holds from now on.
    package func setToken(_ token: String?) {
        let hash = token.map { KeyHash(of: $0) }
        if hash != nil { everHadCredential.store(true, ordering: .relaxed) }
        tokenHash.withLock { $0 = hash }
    }

    /// Who holds the live key with this id; nil when it was revoked.
    ///
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func identity(ofKey id: Int64) async throws -> Identity? { try await table().identity(ofKey: id) }

    /// The keys, no older than ``freshness``, or ``maxAge`` while a read takes long.
    private func table() async throws -> KeyTable {
        let asked = ContinuousClock.now
        func isFresh(_ table: KeyTable) -> Bool { asked - table.readAt < Self.freshness }
        var last = state.withLock { $0.table }
        if let last, isFresh(last) {
            if asked - last.readAt >= Self.renewalAge { _ = sharedRead() }
            return last
        }
        while true {
            let reading = sharedRead()
            guard let old = last, ContinuousClock.now - old.readAt < Self.maxAge else {
                let table = try await reading.result.value
                // A read that another request began long ago does not do: it may not know what was revoked since.
                if isFresh(table) { return table }
                last = table
                continue
            }
            await reading.settled.value
            let now = state.withLock { $0.table } ?? old
            // An older one answers only while nothing newer is there.
            if isFresh(now) || (now.readAt == old.readAt && ContinuousClock.now - old.readAt < Self.maxAge) {
                return now
            }
            last = now
        }
    }

    /// The read that is under way, or a new one.
    private func sharedRead() -> Reading {
        state.withLock { state in
            if let reading = state.reading { return reading }
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            // A task of its own, since the request that began it may be cancelled while others wait for it.
            // Others wait for it, so it goes before the work of requests.
            let result = Task(priority: .high) {
                defer { end.finish() }
                return try await self.readTable()
            }
            let timeout = Task {
                try? await Task.sleep(for: Self.readTimeout)
                end.finish()
            }
            let settled = Task {
                for await _ in ends {}
                timeout.cancel()
            }
            let reading = Reading(result: result, settled: settled)
            state.reading = reading
            return reading
        }
    }

    private func readTable() async throws -> KeyTable {
        defer { state.withLock { $0.reading = nil } }
        let readAt = ContinuousClock.now
        let table = KeyTable(try await meter.readKeys(), readAt: readAt)
        state.withLock { $0.table = table }
        buckets.withLock { buckets in
            if buckets.count > table.ids.count { buckets = buckets.filter { table.ids.contains($0.key) } }
        }
        return table
    }
}
