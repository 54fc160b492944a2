internal import Documents

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Draws pages of PDF files as PNG images with poppler's `pdftoppm`, each in a process of its own.
///
/// The process first limits itself as one that reads a document does (``DocumentProcess``), then becomes `pdftoppm`. Nothing of
/// poppler is linked.
package struct PageDrawing: Sendable {
    /// The path of a program that calls ``DocumentChild/run()``, and its arguments.
    package var executable: String
    package var arguments: [String]
    /// The path of `pdftoppm`.
    package var program: String
    package var limits: DrawingLimits

    package init(executable: String, arguments: [String], program: String, limits: DrawingLimits = DrawingLimits()) {
        self.executable = executable
        self.arguments = arguments
        self.program = program
        self.limits = limits
    }

    /// Draws a page.
    ///
    /// When the task is cancelled, the process is killed and reaped.
    ///
    /// - Parameters:
    ///   - file: The path of a PDF file.
    ///   - page: The physical page, from 1.
    ///   - size: The pixels of the longer side.
    /// - Returns: The bytes of a PNG image.
    /// - Throws: ``DrawingProblem``, ``ReadingProblem``, `CancellationError`.
    package func draw(file: String, page: Int, size: Int) async throws -> [UInt8] {
        var reading = ReadingLimits()
        reading.memoryBytes = limits.memoryBytes
        reading.cpuSeconds = limits.cpuSeconds
        let job = ReadingJob(
            content: .whole, limits: reading,
            drawing: ReadingJob.Drawing(program: program, page: page, size: size))
        let start = ReadingStart(executable: executable, arguments: arguments)
        do {
            return try await ReadingStart.detached { [limits] run in
                try start.with(job, file, run) { output, child in
                    let intake = ImageIntake.read(output, limits, child)
                    let end = child.waitForEnd(milliseconds: 2000)
                    if run.isCancelled { throw CancellationError() }
                    return try Self.image(intake, end, child)
                }
            }
        } catch is DocumentError {
            throw DrawingProblem.failed
        }
    }

    private static func image(
        _ intake: ImageIntake, _ end: ChildProcess.End, _ child: ChildProcess
    ) throws(DrawingProblem) -> [UInt8] {
        switch end {
        case .exited(0) where intake.outcome == .complete && intake.bytes.starts(with: ImageIntake.mark):
            return intake.bytes
        case .exited(DrawingChild.noProgram): throw .noProgram
        // The system ends a process that has used its time with SIGXCPU or SIGKILL.
        case .signalled(SIGXCPU), .signalled(SIGKILL): throw .tooCostly
        default: throw child.isKilled ? .tooCostly : .failed
        }
    }
}
