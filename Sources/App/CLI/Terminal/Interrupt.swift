import ArgumentParser
import Dispatch
import Foundation
import Synchronization

/// Ctrl-C and SIGTERM as cancellation: the work stops at its next safe point, and a second signal ends the process.
enum Interrupt {
    /// Exit code of a run that was interrupted, as shells use it.
    static let exitCode = ExitCode(130)

    /// Runs work that a signal cancels.
    static func cancellable<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if task.isCancelled { exit(130) }
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await task.value
    }
}
