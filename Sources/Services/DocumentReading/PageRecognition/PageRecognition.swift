package import Documents
import Foundation

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Recognizes the text of images of pages with `tesseract`, each in a process of its own.
///
/// The process first limits itself as one that reads a document does (``DocumentProcess``), then becomes `tesseract`. Nothing
/// of it is linked.
package struct PageRecognition: Sendable {
    /// The path of a program that calls ``DocumentChild/run()``, and its arguments.
    package var executable: String
    package var arguments: [String]
    /// The path of `tesseract`.
    package var program: String
    /// The languages as `tesseract -l` takes them, such as `eng+deu`.
    package var languages: String
    package var limits: DrawingLimits

    /// The limits of a page by default.
    package static var defaultLimits: DrawingLimits {
        var limits = DrawingLimits()
        limits.memoryBytes = 1 << 30
        limits.cpuSeconds = 120
        limits.wallSeconds = 240
        limits.imageBytes = 8 << 20
        return limits
    }

    package init(
        executable: String, arguments: [String], program: String, languages: String,
        limits: DrawingLimits = PageRecognition.defaultLimits
    ) {
        self.executable = executable
        self.arguments = arguments
        self.program = program
        self.languages = languages
        self.limits = limits
    }

    /// Recognizes the text of an image.
    ///
    /// The image lies in a file that only this user can read while the program runs. When the task is cancelled, the
    /// process is killed and reaped.
    ///
    /// - Parameters:
    ///   - image: The bytes of a PNG image.
    ///   - dotsPerInch: The pixels of an inch of the page.
    /// - Throws: ``DrawingProblem``, ``ReadingProblem``, `CancellationError`.
    package func recognize(_ image: [UInt8], dotsPerInch: Int) async throws -> RecognizedPage {
        var reading = ReadingLimits()
        reading.memoryBytes = limits.memoryBytes
        reading.cpuSeconds = limits.cpuSeconds
        let job = ReadingJob(
            content: .whole, limits: reading,
            recognition: ReadingJob.Recognition(program: program, languages: languages, dotsPerInch: dotsPerInch))
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-page-\(UUID().uuidString).png").path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(image), attributes: [.posixPermissions: 0o600])
        else { throw ReadingProblem.noResources }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let start = ReadingStart(executable: executable, arguments: arguments)
        do {
            return try await ReadingStart.detached { [limits] run in
                try start.with(job, file, run) { output, child in
                    let intake = ImageIntake.read(output, limits, child)
                    let end = child.waitForEnd(milliseconds: 2000)
                    if run.isCancelled { throw CancellationError() }
                    return try Self.page(intake, end, child)
                }
            }
        } catch is DocumentError {
            throw DrawingProblem.failed
        }
    }

    private static func page(
        _ intake: ImageIntake, _ end: ChildProcess.End, _ child: ChildProcess
    ) throws(DrawingProblem) -> RecognizedPage {
        switch end {
        // The first row names the columns.
        case .exited(0) where intake.outcome == .complete && intake.bytes.starts(with: "level\t".utf8):
            return RecognizedPage(table: intake.bytes)
        case .exited(DrawingChild.noProgram): throw .noProgram
        case .signalled(SIGXCPU), .signalled(SIGKILL): throw .tooCostly
        default: throw child.isKilled ? .tooCostly : .failed
        }
    }
}
