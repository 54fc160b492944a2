package import Documents
import Foundation

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

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
        try Task.checkCancellation()
        let job = ReadingJob(
            name: name.map { String($0.suffix(500)) }, contentType: contentType.map { String($0.prefix(500)) },
            content: content, limits: limits)
        let run = ReadingRun()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Document, any Error>) in
                let process = self
                Thread.detachNewThread {
                    continuation.resume(with: Result { try process.run(job, file, run) })
                }
            }
        } onCancel: {
            run.cancel()
        }
    }

    /// Starts the process, reads its message and waits for its end. Blocks the thread.
    private func run(_ job: ReadingJob, _ path: String, _ run: ReadingRun) throws -> Document {
        let encoded = Array(try JSONEncoder().encode(job))
        guard encoded.count <= ReadingJob.maxBytes else {
            throw DocumentError(.unknownFormat, "The name or the type of the file is too long.")
        }
        guard let file = unsafe Descriptor(taking: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) else {
            throw DocumentError(.damaged, "The file cannot be opened: \(unsafe String(cString: strerror(errno))).")
        }
        guard let input = DescriptorPair(), let output = DescriptorPair(), input.writing.write(encoded) else {
            throw ReadingProblem.noResources
        }
        let child = try start(input, output.writing, file, run)
        let message = MessageIntake.read(output.reading, limits, child)
        // With a message the process has done its work; without one, its end says why.
        let end = child.waitForEnd(milliseconds: message.isComplete ? 0 : 2000)
        if run.isCancelled { throw CancellationError() }
        return try ReadingVerdict.document(message, end, child)
    }

    /// Closes this process's copies of the child's descriptors, so that the end of its output is seen.
    private func start(
        _ input: consuming DescriptorPair, _ output: consuming Descriptor, _ file: consuming Descriptor,
        _ run: ReadingRun
    ) throws -> ChildProcess {
        guard
            let child = ChildProcess(
                executable, arguments, environment: Self.environment, input: input.reading, output: output, file: file)
        else { throw ReadingProblem.noResources }
        run.started(child)
        return child
    }

    /// The whole environment of the process; this one's settings and secrets are not in it.
    private static let environment = [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1",
    ]
}

/// The machine lacks what starting a process takes. Trying again later may help.
package enum ReadingProblem: Error {
    case noResources
}
