#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Turns the limited process into the program that recognizes text.
enum RecognitionChild {
    /// Replaces this process by `tesseract`, which inherits its limits. It reads the open image and writes a table of words
    /// to standard output. It gives way to other processes, since a book takes minutes.
    ///
    /// - Returns: Only when the program cannot be started: ``DrawingChild/noProgram``.
    static func become(_ recognition: ReadingJob.Recognition) -> CInt {
        _ = signal(SIGXFSZ, SIG_IGN)
        _ = nice(10)
        let arguments = [
            recognition.program, "/dev/fd/\(ReadingJob.file)", "stdout", "-l", recognition.languages, "--dpi",
            String(recognition.dotsPerInch), "tsv",
        ]
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(recognition.program, pointers)
        return DrawingChild.noProgram
    }
}
