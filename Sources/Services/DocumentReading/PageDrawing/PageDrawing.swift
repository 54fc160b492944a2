internal import Documents

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
        try await PageProgramRun(executable: executable, arguments: arguments, limits: limits)
            .output(on: file, beginningWith: ImageIntake.mark) { reading in
                ReadingJob(
                    content: .whole, limits: reading,
                    drawing: ReadingJob.Drawing(program: program, page: page, size: size))
            }
    }
}
