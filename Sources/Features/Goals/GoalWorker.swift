import Foundation
import GoalRoom
package import Logging
import ServiceLifecycle
import Storage

/// Matches actions with goals in the background, and keeps the progress of today's goals computed.
///
/// It works in steps of a bounded number of rows and rests as long as each took, so that writers get their turn.
package final class GoalWorker: Service {
    /// The pause between two looks at the database.
    static let look = Duration.milliseconds(500)
    /// The longest time between two passes over everything, such as for a new day.
    static let passInterval = Duration.seconds(30)
    /// The longest rest after a step.
    static let maxRest = Duration.milliseconds(200)
    /// The longest pause after errors.
    static let maxPause = Duration.seconds(30)

    private let service: GoalService
    private let embedder: GoalEmbedder?
    private let logger: Logger

    /// Creates the worker of a service; it works while ``run()`` runs.
    ///
    /// - Parameter embedder: Embeds texts for matching by meaning; nil for matching without.
    package init(_ service: GoalService, embedder: GoalEmbedder? = nil, logger: Logger) {
        self.service = service
        self.embedder = embedder
        self.logger = logger
    }

    /// Works until graceful shutdown.
    package func run() async throws {
        service.store.matches.setWorker(true)
        defer { service.store.matches.setWorker(false) }
        await cancelWhenGracefulShutdown { [self] in
            var pause = Self.look
            var (embedAt, embedPause) = (ContinuousClock.now, Self.look)
            var (matchedLook, passAt) = (Look?.none, ContinuousClock.now)
            while !Task.isCancelled {
                do {
                    let look = Look(
                        matches: try await service.store.matches.look(), space: try await embedder?.active())
                    guard look.matches.isDue || look != matchedLook || passAt <= .now else {
                        try? await Task.sleep(for: Self.look)
                        continue
                    }
                    (matchedLook, passAt) = (nil, .now + Self.passInterval)
                    try await matchAll()
                    if embedAt <= .now {
                        do {
                            try await embedAll()
                            embedPause = Self.look
                        } catch let error where !(error is CancellationError) {
                            if embedPause == Self.look {
                                logger.notice("goals wait for the model", metadata: ["reason": "\(error)"])
                            }
                            embedPause = min(embedPause * 2, Self.maxPause)
                            embedAt = .now + embedPause
                        }
                    }
                    try await service.warm()
                    pause = Self.look
                    matchedLook = look
                } catch {
                    if Task.isCancelled { return }
                    if pause == Self.look {
                        logger.warning("goals cannot be matched now", metadata: ["error": "\(error)"])
                    }
                    pause = min(pause * 2, Self.maxPause)
                }
                try? await Task.sleep(for: pause)
            }
        }
        try? await gracefulShutdown()
    }

    /// What is found in one look; an equal look later finds nothing to do.
    private struct Look: Hashable {
        var matches: GoalMatchStore.Look
        /// The space that answers queries; meanings follow it.
        var space: StoredSpace?
    }

    /// Embeds everything that has no vector, and matches again what waited for it.
    ///
    /// - Throws: The error of a text whose call failed, after all others.
    package func embedAll() async throws {
        guard let embedder else { return }
        var failed: [[UInt8]: any Error] = [:]
        repeat {
            try await matchAll()
        } while try await embedder.work(service.store, failed: &failed)
            && !Task.isCancelled
        if let error = failed.values.first { throw error }
    }

    /// Matches everything that waits.
    package func matchAll() async throws {
        let clock = ContinuousClock()
        while !Task.isCancelled {
            let begin = clock.now
            if try await service.store.matches.step() { return }
            try await Task.sleep(for: min(clock.now - begin, Self.maxRest))
        }
    }
}
