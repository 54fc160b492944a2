package import Logging
import ServiceLifecycle

/// Begins a job whenever runs wait to be read for memories.
package struct MemoryFollower: Service {
    /// How often the store is looked at.
    private static let look = Duration.seconds(2)
    /// The pause after a job that another server has begun.
    private static let pause = Duration.seconds(5)

    private let learner: MemoryLearner
    private let logger: Logger
    private let begin: @Sendable () async throws -> Bool

    /// - Parameter begin: Begins a job. Returns false when one is running.
    package init(_ learner: MemoryLearner, logger: Logger, begin: @escaping @Sendable () async throws -> Bool) {
        (self.learner, self.logger, self.begin) = (learner, logger, begin)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: await beginIfDue() ? Self.look : Self.pause)
            }
        }
    }

    /// Returns false when a job could not begin.
    private func beginIfDue() async -> Bool {
        do {
            return try await learner.isDue() ? try await begin() : true
        } catch is CancellationError {
            return false
        } catch {
            logger.warning("chats cannot be read for memories now", metadata: ["error": "\(error)"])
            return false
        }
    }
}
