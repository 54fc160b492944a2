import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes to the process's standard streams, unbuffered. Text from outside passes through ``SafeText``.
enum Terminal {
    /// Writes to standard output.
    static func write(_ text: SafeText) { put(text.raw, to: STDOUT_FILENO) }

    /// Writes a line to standard output.
    static func line(_ text: SafeText = "") { put(text.raw + "\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func note(_ text: SafeText) { put(text.raw + "\n", to: STDERR_FILENO) }

    /// Writes to standard error without a line feed, for progress that overwrites itself.
    static func progress(_ text: SafeText) { put(text.raw, to: STDERR_FILENO) }

    // A string that is not a literal may contain text from outside.

    /// Writes to standard output, without control characters.
    @_disfavoredOverload static func write(_ text: String) { write(SafeText(text)) }

    /// Writes a line to standard output, without control characters.
    @_disfavoredOverload static func line(_ text: String) { line(SafeText(text)) }

    /// Writes a line to standard error, without control characters.
    @_disfavoredOverload static func note(_ text: String) { note(SafeText(text)) }

    /// Whether standard error is a terminal that a progress bar may redraw.
    static var isInteractive: Bool {
        guard isatty(STDERR_FILENO) == 1 else { return false }
        return getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    /// Whether standard output is a terminal.
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard output is a terminal and `NO_COLOR` is not set.
    static var hasColour: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// Makes text bold, if ``hasColour``.
    static func bold(_ text: SafeText) -> SafeText { hasColour ? text.styled("\u{1B}[1m", "\u{1B}[0m") : text }

    /// Makes text dim, if ``hasColour``.
    static func dim(_ text: SafeText) -> SafeText { hasColour ? text.styled("\u{1B}[2m", "\u{1B}[0m") : text }

    /// The terminal's width in columns; 80 when it is unknown.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func put(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = unsafe Self.write(descriptor, rest)
                // A closed pipe (`selene search … | head`) is the reader's decision, not an error.
                guard written > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
