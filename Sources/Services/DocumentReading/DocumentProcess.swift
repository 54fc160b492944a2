package import Documents

/// Reads each document in a process of its own, so that a hostile file costs that file only.
///
/// The process is a program that calls ``DocumentChild/run()``, such as this one with a hidden subcommand. It gets limits of
/// memory, processor time and time, and no descriptor but the file and its two pipes. A process that crashes, hangs or uses
/// too much becomes a `DocumentError`.
package struct DocumentProcess: Sendable {
    /// The path of the program.
    package var executable: String
    package var arguments: [String]
    package var limits: ReadingLimits

    package init(executable: String, arguments: [String], limits: ReadingLimits = ReadingLimits()) {
        self.executable = executable
        self.arguments = arguments
        self.limits = limits
    }

    /// Reads a file.
    ///
    /// A thread of its own waits for the process. When the task is cancelled, the process is killed and reaped.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - name: The name of the file, for its extension; the path is not used for that.
    ///   - content: What of a web page is read.
    /// - Throws: `DocumentError`; `damaged` also for a process that crashed, `tooCostly` for one that used too much;
    ///   `CancellationError`.
    package func read(
        file: String, name: String? = nil, contentType: String? = nil, content: HTMLContent = .whole
    ) async throws -> Document {
        let job = ReadingJob(
            name: name.map { String($0.suffix(500)) }, contentType: contentType.map { String($0.prefix(500)) },
            content: content, limits: limits)
        let start = ReadingStart(executable: executable, arguments: arguments)
        return try await ReadingStart.detached { [limits] run in
            try start.with(job, file, run) { output, child in
                let message = MessageIntake.read(output, limits, child)
                // With a message the process has done its work; without one, its end says why.
                let end = child.waitForEnd(milliseconds: message.isComplete ? 0 : 2000)
                if run.isCancelled { throw CancellationError() }
                return try ReadingVerdict.document(message, end, child)
            }
        }
    }
}
