/// Which part of Markdown the end of a text is in, read character by character.
///
/// Knows what decides whether brackets can be a citation: fenced code, inline code, link destinations, escapes and line
/// starts. Inline code ends at the end of its line at the latest. A fence may be indented by any amount and be quoted.
struct MarkdownPlace {
    /// The part of Markdown that the next character belongs to.
    enum Part: Equatable {
        case text
        /// After backticks that open inline code, provided that the same number of them closes it on the line.
        case code
        case fence
        case linkDestination
    }

    /// What a character completed.
    enum Event {
        /// Inline code was closed by its backticks.
        case codeClosed
        /// The line ended within inline code: its backticks were text.
        case codeAbandoned
    }

    private struct Fence {
        var mark: Unicode.Scalar
        var count: Int
        /// Within the line that opens the fence.
        var isOpening = true
        /// Whether the line so far can close the fence.
        var mayClose = false
    }

    private var fence: Fence?
    /// The number of backticks that opened inline code.
    private var code: Int?
    /// The mark that the last characters repeat, and how often.
    private var run: (mark: Unicode.Scalar, count: Int)?
    private var runStartsLine = false
    /// Open parentheses of a link destination.
    private var parentheses = 0
    private var previous: Unicode.Scalar = "\n"
    private var isEscaped = false
    /// Whether the line holds only white space and `>` so far.
    private(set) var isAtLineStart = true

    /// The part that the next character belongs to, unless it continues a run of backticks.
    var part: Part {
        if fence != nil || (run.map { runStartsLine && $0.count >= 3 } ?? false) { return .fence }
        if parentheses > 0 { return .linkDestination }
        if code != nil { return run?.count == code ? .text : .code }
        return run?.mark == "`" ? .code : .text
    }

    /// Whether a backslash makes the next character plain text.
    var isNextEscaped: Bool { isEscaped }

    /// Moves over a character.
    mutating func advance(_ scalar: Unicode.Scalar) -> Event? {
        defer { previous = scalar }
        if let open = run, open.mark == scalar {
            run?.count = open.count &+ 1
            return nil
        }
        var event = endRun(before: scalar)
        if scalar == "\n" {
            if endLine() { event = .codeAbandoned }
            return event
        }
        if isEscaped {
            isEscaped = false
            isAtLineStart = false
            return event
        }
        if scalar == "`" || (scalar == "~" && isAtLineStart) {
            if fence == nil || isAtLineStart || fence?.isOpening == true {
                run = (scalar, 1)
                runStartsLine = isAtLineStart
            }
            isAtLineStart = false
            return event
        }
        let isBlank = scalar == " " || scalar == "\t" || scalar == "\r"
        if !isBlank, fence?.mayClose == true { fence?.mayClose = false }
        if fence == nil, code == nil { readText(scalar) }
        if !isBlank, scalar != ">" { isAtLineStart = false }
        return event
    }

    /// Tells what the end of the text completes.
    mutating func finish() -> Event? {
        let event = endRun(before: "\n")
        return endLine() ? .codeAbandoned : event
    }

    private mutating func readText(_ scalar: Unicode.Scalar) {
        if scalar == "\\" {
            isEscaped = true
        } else if parentheses > 0 {
            if scalar == "(" { parentheses = min(parentheses + 1, 32) }
            if scalar == ")" { parentheses -= 1 }
        } else if scalar == "(", previous == "]" {
            parentheses = 1
        }
    }

    /// Ends a run of backticks or tildes, if one is open.
    private mutating func endRun(before next: Unicode.Scalar) -> Event? {
        guard let ended = run else { return nil }
        run = nil
        if var open = fence {
            if open.isOpening, open.mark == "`" {
                // Backticks in the line that opens a fence: the line is inline code.
                fence = nil
                code = ended.count == open.count ? nil : open.count
                return code == nil ? .codeClosed : nil
            }
            open.mayClose = !open.isOpening && runStartsLine && ended.mark == open.mark && ended.count >= open.count
            fence = open
            return nil
        }
        if runStartsLine, ended.count >= 3 {
            fence = Fence(mark: ended.mark, count: ended.count)
            return nil
        }
        guard ended.mark == "`" else { return nil }
        if let open = code {
            guard open == ended.count else { return nil }
            code = nil
            return .codeClosed
        }
        code = ended.count
        return nil
    }

    /// Starts a new line; true when inline code was open.
    private mutating func endLine() -> Bool {
        if var open = fence {
            let isClosed = !open.isOpening && open.mayClose
            open.isOpening = false
            open.mayClose = false
            fence = isClosed ? nil : open
        }
        let wasCode = code != nil
        code = nil
        parentheses = 0
        isEscaped = false
        isAtLineStart = true
        return wasCode
    }
}
