package import Logging
import ServiceLifecycle
package import Storage

/// Erases deleted notes and earlier versions that are too old, once an hour.
package struct NoteHistoryUpkeep: Service {
    private static let interval = Duration.seconds(3600)

    private let history: any NoteHistory
    private let logger: Logger

    package init(_ history: any NoteHistory, logger: Logger) {
        self.history = history
        self.logger = logger
    }

    /// Works until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await history.eraseExpired()
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning(
                        "old versions of notes cannot be erased; will retry", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}
