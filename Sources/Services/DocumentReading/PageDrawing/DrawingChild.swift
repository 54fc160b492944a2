#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Turns the limited process into the program that draws.
enum DrawingChild {
    /// The exit code when the program cannot be started.
    static let noProgram: CInt = 127

    /// Replaces this process by `pdftoppm`, which inherits its limits. It reads the open file and writes one PNG image to
    /// standard output.
    ///
    /// - Returns: Only when the program cannot be started: ``noProgram``.
    static func become(_ drawing: ReadingJob.Drawing) -> CInt {
        // Programs that fill a cache of fonts must not end because they may write no files.
        _ = signal(SIGXFSZ, SIG_IGN)
        let page = String(drawing.page)
        // The boxes of lines are places on the crop box, as the image is.
        let arguments = [
            drawing.program, "-png", "-f", page, "-l", page, "-singlefile", "-cropbox", "-scale-to",
            String(drawing.size), "/dev/fd/\(ReadingJob.file)",
        ]
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(drawing.program, pointers)
        return noProgram
    }
}
