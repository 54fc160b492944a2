import Database
import EvaluationRoom
import Logging
import ServiceLifecycle
import Storage

/// Copies reports that a gateway made in its file to the server that it shares.
struct EvaluationCopies: Service {
    /// The pause before the next try.
    private static let pause = Duration.seconds(5)

    private let file: GatewayDatabase
    private let store: any SQLStore
    private let logger: Logger

    /// Nil when the file is the store.
    init?(from file: GatewayDatabase, to store: any SQLStore, logger: Logger) {
        guard store.dialect == .postgres else { return nil }
        (self.file, self.store, self.logger) = (file, store, logger)
    }

    /// Copies, until it succeeded or until graceful shutdown.
    func run() async throws { await cancelWhenGracefulShutdown { await copy() } }

    private func copy() async {
        while !Task.isCancelled {
            do {
                let count = try await store.evaluations.copy(from: file, named: try await file.changes.identity())
                if count > 0 {
                    logger.info("reports of retrieval were copied to PostgreSQL", metadata: ["count": "\(count)"])
                }
                return
            } catch is CancellationError {
                return
            } catch let error as any TransientError where error.isTransient {
                // The server's pool reports outages.
                try? await Task.sleep(for: Self.pause)
            } catch {
                logger.warning(
                    "reports of retrieval cannot be copied to PostgreSQL; the next start tries again",
                    metadata: ["error": "\(error)"])
                return
            }
        }
    }
}
