package import Documents
import Foundation

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
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-page-\(UUID().uuidString).png").path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(image), attributes: [.posixPermissions: 0o600])
        else { throw ReadingProblem.noResources }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let run = PageProgramRun(executable: executable, arguments: arguments, limits: limits)
        // The first row of the table names the columns.
        let table = try await run.output(on: file, beginningWith: Array("level\t".utf8)) { reading in
            ReadingJob(
                content: .whole, limits: reading,
                recognition: ReadingJob.Recognition(program: program, languages: languages, dotsPerInch: dotsPerInch))
        }
        return RecognizedPage(table: table)
    }
}
