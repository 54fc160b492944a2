import PostgresStorage
import ServiceLifecycle

/// Follows what other gateways on the same database announce.
struct PostgresFollower: Service {
    let store: PostgresStore
    /// Whether questions to the server need its words.
    let keepsVocabulary: Bool
    let keysChanged: @Sendable () async -> Void

    /// Follows until shutdown.
    func run() async throws {
        if keepsVocabulary { store.keepVocabulary() }
        await cancelWhenGracefulShutdown { [self] in
            await store.follow { subject in
                if subject == "keys" { await keysChanged() }
            }
        }
    }
}
