import Foundation
import GatewayAPI
import KeyRoom
import Server
import Storage
import Synchronization

@testable import Access

/// A clock that stands still until it is moved.
final class StillClock: Sendable {
    private let state: Mutex<(seconds: Int64, instant: ContinuousClock.Instant)>

    init(unixSeconds: Int64 = 1_800_000_000) { state = Mutex((unixSeconds, .now)) }

    func advance(seconds: Int64) {
        state.withLock { state in
            state.seconds += seconds
            state.instant += .seconds(seconds)
        }
    }

    var keyClock: KeyClock {
        KeyClock(
            unixSeconds: { self.state.withLock { $0.seconds } }, instant: { self.state.withLock { $0.instant } })
    }
}

/// A ring over a database of its own, with a clock that stands still.
struct KeyRingOnStillClock {
    let folder = FileManager.default.temporaryDirectory.appending(path: "selene-ring-\(UUID().uuidString)")
    let clock: StillClock
    let database: GatewayDatabase
    let ring: KeyRing

    static func with(
        unixSeconds: Int64 = 1_800_000_000, token: String? = nil, _ body: (KeyRingOnStillClock) async throws -> Void
    ) async throws {
        let setting = try KeyRingOnStillClock(unixSeconds: unixSeconds, token: token)
        defer { try? FileManager.default.removeItem(at: setting.folder) }
        try await body(setting)
        try? await setting.ring.meter.write()
        try? setting.database.close()
    }

    private init(unixSeconds: Int64, token: String?) throws {
        clock = StillClock(unixSeconds: unixSeconds)
        database = try GatewayDatabase(path: folder.appending(path: "n.sqlite").path)
        ring = KeyRing(token: token, store: database, isLoopback: true, clock: clock.keyClock)
    }

    /// Makes a key and lets the ring find it.
    func identity(_ grant: KeyGrant) async throws -> Identity {
        let secret = try await database.keys.create(name: UUID().uuidString, grant: grant).secret
        guard case .known(let identity) = try await ring.find(bearer: secret) else { throw CancellationError() }
        return identity
    }

    /// Asks to use a route; the error's code and header when it is refused.
    func refusal(
        _ identity: Identity, _ access: RouteAccess = .requireScope(.llm, spendsTokens: true)
    ) -> (code: GatewayError.Code, retryAfter: Int?)? {
        do throws(AccessRefusal) {
            try ring.admit(identity, to: access)
            return nil
        } catch {
            let shown = GatewayError(error)
            return (shown.code, shown.retryAfterSeconds)
        }
    }
}
