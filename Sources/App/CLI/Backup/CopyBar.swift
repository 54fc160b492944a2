import ArgumentParser
import Foundation
import Storage
import Synchronization

/// Shows the progress of a backup or restore, and turns its errors into one line and an exit code.
enum CopyBar {
    private final class Holder: Sendable {
        private let bar: Mutex<ProgressBar>
        init(_ label: String) { bar = Mutex(ProgressBar(label, unit: "MB")) }
        func update(_ progress: CopyProgress) {
            bar.withLock { $0.update(done: progress.done / 1_000_000, total: progress.total / 1_000_000) }
        }
        func finish() { bar.withLock { $0.finish() } }
    }

    /// Runs a copy with a progress bar; Ctrl-C cancels it.
    static func run<Value: Sendable>(
        _ label: String,
        _ body: @escaping @Sendable (_ progress: @escaping @Sendable (CopyProgress) -> Void) async throws -> Value
    ) async throws -> Value {
        let bar = Holder(label)
        do {
            let value = try await Interrupt.cancellable { try await body { bar.update($0) } }
            bar.finish()
            return value
        } catch {
            bar.finish()
            switch error {
            case is CancellationError: throw Interrupt.exitCode
            case let error as StorageError where error.code == .corrupt:
                _ = Failure.exit(for: error)
                throw ExitCode(65)
            default: throw Failure.exit(for: error)
            }
        }
    }

    /// Formats bytes as megabytes.
    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
