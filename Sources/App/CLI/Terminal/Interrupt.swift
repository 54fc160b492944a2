import ArgumentParser
import Dispatch
import Foundation
import Synchronization

/// Turns Ctrl-C and SIGTERM into cancellation: work stops at its next safe point; a second signal ends the process.
enum Interrupt {
    /// The exit code of an interrupted run, as shells define it (128 + SIGINT).
    static let exitCode = ExitCode(130)

    /// Runs work and cancels it on a signal.
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
