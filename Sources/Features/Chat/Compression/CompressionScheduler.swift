import ChatRoom
package import Logging
import ServiceLifecycle
import GatewayAPI
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Begins a job for one waiting session after another.
package struct CompressionScheduler: Service {
    /// How often the flag of ``CompressionRequests`` is read.
    private static let tick = Duration.milliseconds(250)
    /// How often the database is read for requests of other processes.
    private static let look = Duration.seconds(30)

    /// Begins a job with parameters, charged to a key. Returns false when another one is running.
    package typealias Begin = @Sendable (_ parameters: String, _ key: Int64?) async throws -> Bool

    private let requests: CompressionRequests
    private let logger: Logger
    private let begin: Begin

    package init(_ requests: CompressionRequests, logger: Logger, begin: @escaping Begin) {
        self.requests = requests
        self.logger = logger
        self.begin = begin
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                if requests.isDue { await beginNext() }
                try? await Task.sleep(for: Self.tick)
            }
        }
    }

    private func beginNext() async {
        requests.sleep(for: Self.look)
        do {
            guard let next = try await requests.store.next(), let dueAt = next.dueAt else { return }
            let wait = Duration.milliseconds(dueAt - Int64(Date.now.timeIntervalSince1970 * 1000))
            guard wait <= .zero else { return requests.sleep(for: min(wait, Self.look)) }
            let parameters = try JSONEncoder().encode(CompressionJobRequest(session: next.session))
            // The job wakes the scheduler at its end, a moment before its row says so.
            if try await !begin(String(decoding: parameters, as: UTF8.self), next.key) {
                requests.sleep(for: .seconds(1))
            }
        } catch is CancellationError {
            // The gateway ends.
        } catch {
            logger.warning("a chat cannot be compressed now", metadata: ["error": "\(error)"])
        }
    }
}
