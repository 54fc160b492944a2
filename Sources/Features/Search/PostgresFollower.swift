import PostgresStorage
import ServiceLifecycle

/// Follows what other gateways on the same database announce.
struct PostgresFollower: Service {
    let store: PostgresStore
    let keysChanged: @Sendable () async -> Void

    /// Follows until shutdown.
    func run() async throws {
        store.keepVocabulary()
        await cancelWhenGracefulShutdown { [self] in
            await store.follow { subject in
                if subject == "keys" { await keysChanged() }
            }
        }
    }
}
