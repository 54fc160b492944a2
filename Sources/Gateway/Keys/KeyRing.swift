import Crypto
import Hummingbird
import Logging
import Storage
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides who a bearer token belongs to.
///
/// Keys live in the database, where `selene keys` makes and revokes them while the server runs; the ring reads them
/// again when its copy is older than ``freshness``, so a revoked key stops working within that time.
final class KeyRing: Sendable {
    /// How old the copy of the keys may be.
    static let freshness = Duration.milliseconds(250)
    /// How often the time of a key's last use is written back.
    static let touchInterval = Duration.seconds(30)

    private let tokenHash: [UInt8]?
    private let database: GatewayDatabase
    private let isLoopback: Bool
    private let state = Mutex(State())

    private struct State {
        var keys: [KeyRecord] = []
        var everHadKeys = false
        var readAt: ContinuousClock.Instant?
        var touched: [Int64: Date] = [:]
        var flushedAt = ContinuousClock.now
    }

    /// Creates a ring.
    ///
    /// - Parameters:
    ///   - token: `SELENE_API_TOKEN`.
    ///   - database: Where the keys are.
    ///   - isLoopback: Whether only this machine can reach the gateway.
    init(token: String?, database: GatewayDatabase, isLoopback: Bool) {
        tokenHash = token.map(Self.hash)
        self.database = database
        self.isLoopback = isLoopback
    }

    /// Whether requests need a key: always, except on loopback as long as no token and no key was ever made.
    func isRequired() async throws -> Bool {
        try await refresh()
        return tokenHash != nil || !isLoopback || state.withLock { $0.everHadKeys }
    }

    /// Who holds this token; nil when nobody does.
    func identity(ofBearer token: String) async throws -> Identity? {
        try await refresh()
        let hash = Self.hash(token)
        if let tokenHash, KeyHash.matches(tokenHash, hash) { return .token }
        return state.withLock { state in
            // Every key is compared, so that the time taken tells nothing about which one came near.
            var holder: KeyRecord?
            for key in state.keys where KeyHash.matches(key.hash, hash) { holder = key }
            guard let holder else { return nil }
            state.touched[holder.id] = Date()
            return .key(id: holder.id, name: holder.name)
        }
    }

    /// Writes back when keys were last used.
    func flush() async throws {
        let touched = state.withLock { state in
            defer { state.touched = [:] }
            state.flushedAt = .now
            return state.touched
        }
        if !touched.isEmpty { try await database.touchKeys(touched) }
    }

    private func refresh() async throws {
        let now = ContinuousClock.now
        let (isFresh, needsFlush) = state.withLock { state in
            (
                state.readAt.map { now - $0 < Self.freshness } ?? false,
                !state.touched.isEmpty && now - state.flushedAt > Self.touchInterval
            )
        }
        guard !isFresh else { return }
        if needsFlush { try await flush() }
        let all = try await database.keys()
        state.withLock { state in
            state.keys = all.filter { $0.revokedAt == nil }
            state.everHadKeys = !all.isEmpty
            state.readAt = now
        }
    }

    private static func hash(_ token: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(token.utf8)))
    }
}
