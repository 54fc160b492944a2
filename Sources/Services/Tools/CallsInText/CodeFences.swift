/// Tracks the fenced code blocks of Markdown text, byte by byte.
struct CodeFences {
    /// A run of backticks or tildes.
    private struct Run {
        var byte: UInt8
        var count: Int
    }

    /// The fence of the open block.
    private var block: Run?
    /// The number of spaces at the beginning of the line; nil after any other character.
    private var indent: Int? = 0
    /// The run at the beginning of the line.
    private var run: Run?
    private var runHasEnded = false
    /// Whether a character other than white space follows the run.
    private var hasInfo = false
    private var infoHasBacktick = false

    /// Whether the next byte is code, or on the line that opens a block.
    var isInCode: Bool { block != nil || (run?.count ?? 0) >= 3 }

    /// Whether a fence may begin here: at the start of a line, after at most three spaces.
    var isAtLineStart: Bool { run == nil && (indent ?? 4) <= 3 }

    /// Takes a byte.
    mutating func read(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") {
            endLine()
            return
        }
        if let spaces = indent {
            if byte == UInt8(ascii: " ") {
                indent = min(spaces + 1, 4)
                return
            }
            indent = nil
            if spaces <= 3, byte == UInt8(ascii: "`") || byte == UInt8(ascii: "~") {
                run = Run(byte: byte, count: 1)
                return
            }
        }
        guard let current = run else { return }
        if byte == current.byte, !runHasEnded {
            run?.count += 1
            return
        }
        runHasEnded = true
        if !JSONSpace.contains(byte) { hasInfo = true }
        if byte == UInt8(ascii: "`") { infoHasBacktick = true }
    }

    private mutating func endLine() {
        if let run, run.count >= 3 {
            if let open = block {
                if run.byte == open.byte, run.count >= open.count, !hasInfo { block = nil }
            } else if run.byte == UInt8(ascii: "~") || !infoHasBacktick {
                block = run
            }
        }
        (indent, run, runHasEnded, hasInfo, infoHasBacktick) = (0, nil, false, false, false)
    }
}
