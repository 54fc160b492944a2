internal import CChildProcess
internal import Documents
internal import Foundation

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Starts a program that calls ``DocumentChild/run()`` with a job and an open file.
struct ReadingStart {
    let executable: String
    let arguments: [String]

    /// Does blocking work on a thread of its own. When the task is cancelled, the process of the run is killed.
    static func detached<Value: Sendable>(
        _ work: @escaping @Sendable (ReadingRun) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let run = ReadingRun()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try work(run) })
                }
            }
        } onCancel: {
            run.cancel()
        }
    }

    /// Starts the process and hands its output to a function, which must wait for the end.
    ///
    /// - Throws: `DocumentError` for a job or a file that cannot be used, ``ReadingProblem``, and what the function throws.
    func with<Value>(
        _ job: ReadingJob, _ path: String, _ run: ReadingRun,
        _ body: (borrowing Descriptor, ChildProcess) throws -> Value
    ) throws -> Value {
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
        return try body(output.reading, child)
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
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=1", "OMP_THREAD_LIMIT=1",
    ]
}

/// The machine lacks what starting a process takes. Trying again later may help.
package enum ReadingProblem: Error {
    case noResources
}
