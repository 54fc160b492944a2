/// Takes thinking out of an answer whose model writes it as text: `<think>…</think>` and the like.
///
/// A tag at the beginning of a line opens thinking until its end, or to the end of the answer. A tag within a line does so only when
/// it is closed. Tags in code, and behind a quotation mark or an opening parenthesis, are quoted and stay. Thinking may be nested. What comes out does not
/// depend on how the text is cut into pieces.
struct ThoughtFilter {
    /// Pieces of an answer, in order.
    enum Piece: Equatable {
        case text(String)
        case thought(String)
    }

    /// The marks that open and close thinking, in lower case.
    private static let marks: [(open: [Character], close: [Character])] =
        [
            "think", "thinking", "thought", "thoughts", "reasoning", "seed:think", "antthinking", "scratchpad",
            "reflection",
            "inner_monologue",
        ].map { (Array("<\($0)>"), Array("</\($0)>")) } + [
            (Array("[think]"), Array("[/think]")), (Array("◁think▷"), Array("◁/think▷")),
            (Array("<|begin_of_thought|>"), Array("<|end_of_thought|>")),
            (Array("<|think|>"), Array("<|/think|>")), (Array("<|channel|>analysis<|message|>"), Array("<|end|>")),
        ]
    private static let longest = marks.map { max($0.open.count, $0.close.count) }.max() ?? 0
    /// The most bytes that wait for the end of thinking within a line.
    private static let maxHeld = 4 << 10

    /// The open marks, the outermost first.
    private var open: [Int] = []
    /// Whether the open thinking began within a line, so that it is text when it never ends.
    private var isHeld = false
    private var held = ""
    /// Text that may become a mark.
    private var candidate: [Character] = []
    private var code = CodeTracker()
    /// Whether only thinking came so far, so that white space before the answer is dropped.
    private var isLeading = true
    private var hadThought = false
    private var output: [Piece] = []
    /// The piece that grows, behind the output. It is not in the array, so that a character is appended without a copy.
    private var piece = ""
    private var isThought = false

    /// Takes a piece of an answer. Returns what is settled.
    mutating func push(_ text: String) -> [Piece] {
        for character in text { read(character) }
        return takeOutput()
    }

    /// Ends the answer. Returns the rest.
    mutating func finish() -> [Piece] {
        // A mark that was cut off at the end of thinking is no text.
        let rest = candidate
        candidate = []
        for character in rest { emit(character) }
        if !open.isEmpty, isHeld {
            open = []
            let text = held
            held = ""
            for character in text { emit(character) }
        }
        return takeOutput()
    }

    private mutating func read(_ character: Character) {
        if candidate.isEmpty, !Self.mayBegin(character) { return emit(character) }
        candidate.append(character)
        while let first = candidate.first {
            if Self.mayBegin(first) {
                let lower = candidate.map { Character($0.lowercased()) }
                if let mark = Self.whole(lower) { return take(mark) }
                if Self.mayBecomeMark(lower) { return }
            }
            emit(candidate.removeFirst())
        }
    }

    /// Whether a mark begins with a character.
    private static func mayBegin(_ character: Character) -> Bool {
        character == "<" || character == "[" || character == "◁"
    }

    /// The mark that characters in lower case are.
    private static func whole(_ lower: [Character]) -> (index: Int, opens: Bool)? {
        for (index, mark) in marks.enumerated() {
            if lower == mark.open { return (index, true) }
            if lower == mark.close { return (index, false) }
        }
        return nil
    }

    private static func mayBecomeMark(_ lower: [Character]) -> Bool {
        lower.count < longest && marks.contains { $0.open.starts(with: lower) || $0.close.starts(with: lower) }
    }

    private mutating func take(_ mark: (index: Int, opens: Bool)) {
        let text = candidate
        candidate = []
        if open.isEmpty {
            guard !code.isCode, !code.isQuoted else {
                for character in text { emit(character) }
                return
            }
            hadThought = true
            guard mark.opens else { return }
            open = [mark.index]
            isHeld = !code.isAtLineStart
            held = isHeld ? String(text) : ""
            return
        }
        if isHeld { held += String(text) } else { append(String(text), isThought: true) }
        if mark.opens {
            open.append(mark.index)
        } else if let last = open.lastIndex(of: mark.index) {
            open.removeSubrange(last...)
            if open.isEmpty, isHeld {
                append(held, isThought: true)
                held = ""
            }
        }
    }

    private mutating func emit(_ character: Character) {
        guard open.isEmpty else {
            guard isHeld else { return append(String(character), isThought: true) }
            held.append(character)
            if held.utf8.count > Self.maxHeld {
                // Too long to be a slip of the model: it stays text.
                let text = held
                (open, held) = ([], "")
                for character in text { emit(character) }
            }
            return
        }
        if isLeading, hadThought, character.isWhitespace { return }
        if !character.isWhitespace { isLeading = false }
        code.advance(character)
        append(String(character), isThought: false)
    }

    private mutating func append(_ text: String, isThought: Bool) {
        if isThought != self.isThought {
            endPiece()
            self.isThought = isThought
        }
        piece += text
    }

    private mutating func endPiece() {
        guard !piece.isEmpty else { return }
        output.append(isThought ? .thought(piece) : .text(piece))
        piece = ""
    }

    private mutating func takeOutput() -> [Piece] {
        endPiece()
        defer { output = [] }
        return output
    }
}

/// Whether the end of a text is in code, and what stands before it on its line.
private struct CodeTracker {
    private var isFenced = false
    private var line = ""
    private var isInline = false
    private var last: Character?

    var isCode: Bool { isFenced || isInline }
    /// Whether only white space stands before on the line.
    var isAtLineStart: Bool { line.allSatisfy(\.isWhitespace) }
    var isQuoted: Bool { last.map { "\"'„“‚‘«»(\\".contains($0) } ?? false }

    mutating func advance(_ character: Character) {
        last = character
        if character.isNewline {
            (line, isInline) = ("", false)
            return
        }
        if line.utf8.count < 256 { line.append(character) }
        guard character == "`" else { return }
        let start = line.drop(while: \.isWhitespace)
        if start == "```" {
            isFenced.toggle()
            isInline = false
        } else if !isFenced, !start.hasPrefix("```") {
            isInline.toggle()
        }
    }
}
