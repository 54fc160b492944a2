import ArgumentParser
import Foundation
import Storage
import Synchronization
import Text

/// The options that a backup and a restore share.
struct CopyOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Print a JSON summary.")
    var json = false
}

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
    ///
    /// - Returns: What it gave, and how many seconds it took, to a thousandth.
    static func run<Value: Sendable>(
        _ label: String,
        _ body: @escaping @Sendable (_ progress: @escaping @Sendable (CopyProgress) -> Void) async throws -> Value
    ) async throws -> (value: Value, seconds: Double) {
        let bar = Holder(label)
        let started = ContinuousClock.now
        do {
            let value = try await Interrupt.cancellable { try await body { bar.update($0) } }
            bar.finish()
            return (value, ((ContinuousClock.now - started) / .milliseconds(1)).rounded() / 1000)
        } catch {
            bar.finish()
            let code = Failure.exit(for: error)
            if let error = error as? StorageError, error.code == .corrupt { throw ExitCode(65) }
            throw code
        }
    }

    static func books(_ count: Int) -> String { Count.of(count, "book") }

    /// Warns of books whose files are missing.
    static func warn(of missing: [String], _ consequence: String) {
        guard !missing.isEmpty else { return }
        Terminal.note("warning: the files of \(books(missing.count)) are missing or damaged; \(consequence):")
        for title in missing { Terminal.note("  \(title)") }
    }

    /// Formats bytes as megabytes.
    static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
