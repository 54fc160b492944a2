internal import Documents

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Runs a program on one file in a process that first limits itself, and takes what it writes.
struct PageProgramRun {
    /// The path of a program that calls ``DocumentChild/run()``, and its arguments.
    let executable: String
    let arguments: [String]
    let limits: DrawingLimits

    /// Runs the program that a job names. When the task is cancelled, the process is killed and reaped.
    ///
    /// - Parameters:
    ///   - mark: The bytes that its output begins with.
    ///   - job: Makes the job with the limits of its process.
    /// - Returns: The whole output.
    /// - Throws: ``DrawingProblem``, ``ReadingProblem``, `CancellationError`.
    func output(on file: String, beginningWith mark: [UInt8], _ job: (ReadingLimits) -> ReadingJob) async throws
        -> [UInt8]
    {
        var reading = ReadingLimits()
        reading.memoryBytes = limits.memoryBytes
        reading.cpuSeconds = limits.cpuSeconds
        let job = job(reading)
        let start = ReadingStart(executable: executable, arguments: arguments)
        do {
            return try await ReadingStart.detached { [limits] run in
                try start.with(job, file, run) { output, child in
                    let intake = ImageIntake.read(output, limits, child)
                    let end = child.waitForEnd(milliseconds: 2000)
                    if run.isCancelled { throw CancellationError() }
                    return try Self.whole(intake, mark, end, child)
                }
            }
        } catch is DocumentError {
            throw DrawingProblem.failed
        }
    }

    private static func whole(
        _ intake: ImageIntake, _ mark: [UInt8], _ end: ChildProcess.End, _ child: ChildProcess
    ) throws(DrawingProblem) -> [UInt8] {
        switch end {
        case .exited(0) where intake.outcome == .complete && intake.bytes.starts(with: mark): return intake.bytes
        case .exited(DrawingChild.noProgram): throw .noProgram
        // The system ends a process that has used its time with SIGXCPU or SIGKILL.
        case .signalled(SIGXCPU), .signalled(SIGKILL): throw .tooCostly
        default: throw child.isKilled ? .tooCostly : .failed
        }
    }
}
