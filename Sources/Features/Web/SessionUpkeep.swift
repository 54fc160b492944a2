package import Access
package import Logging
import ServiceLifecycle

/// Writes when browser sessions were used, and deletes those that ended.
package struct SessionUpkeep: Service {
    /// The interval between writes.
    private static let writeInterval = Duration.seconds(10)
    /// The number of writes between two deletions.
    private static let writesPerPruning = 360

    private let keys: KeyRing
    private let logger: Logger

    package init(keys: KeyRing, logger: Logger) {
        self.keys = keys
        self.logger = logger
    }

    /// Works until graceful shutdown, and writes once more then.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.follow() }
        await attempt { try await keys.writeSessionUses() }
    }

    private func follow() async {
        var round = 0
        while !Task.isCancelled {
            if round % Self.writesPerPruning == 0 { await attempt { try await keys.pruneSessions() } }
            round += 1
            try? await Task.sleep(for: Self.writeInterval)
            await attempt { try await keys.writeSessionUses() }
        }
    }

    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
        } catch {
            logger.warning("cannot write browser sessions; will retry", metadata: ["error": "\(error)"])
        }
    }
}
