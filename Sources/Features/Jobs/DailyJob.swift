package import GatewayAPI
package import Logging
import ServiceLifecycle

/// Begins a job of one kind whenever it is due.
///
/// Any number of servers may run it on one file: one job of a kind runs at a time, and a job that was done for the day is not
/// due again.
package struct DailyJob: Service {
    /// How often it is asked whether the job is due.
    private static let look = Duration.seconds(20)
    /// The pause after a job was begun, so that one that fails is not begun all the time.
    private static let pause = Duration.seconds(600)

    private let kind: Job.Kind
    private let runner: JobRunner
    private let isDue: @Sendable () async throws -> Bool
    private let logger: Logger

    package init(
        _ kind: Job.Kind, _ runner: JobRunner, logger: Logger, isDue: @escaping @Sendable () async throws -> Bool
    ) {
        self.kind = kind
        self.runner = runner
        self.logger = logger
        self.isDue = isDue
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                let begun = await beginIfDue()
                try? await Task.sleep(for: begun ? Self.pause : Self.look)
            }
        }
    }

    /// Begins the job when it is due. Returns whether it tried.
    func beginIfDue() async -> Bool {
        do {
            guard try await isDue() else { return false }
            _ = try await runner.begin(kind, #"{"daily":true}"#, key: nil)
        } catch is CancellationError {
            return false
        } catch {
            logger.warning("a daily job cannot begin", metadata: ["kind": "\(kind.rawValue)", "error": "\(error)"])
        }
        return true
    }
}
