import Text

/// Finds tool calls that a model writes into its answer text.
///
/// Text is held back only while it may become a call, up to ``maxHeldBytes``. Then it is shown unchanged or returned as
/// calls. Recognised forms:
/// - JSON objects and arrays that call known tools, alone or in a fenced block without other content
/// - JSON after one of the tags of ``CallTag``
///
/// Other code blocks, and JSON without a known tool, are shown. The result does not depend on how the bytes are split.
/// Each byte is examined a constant number of times.
package struct CallInText: Sendable {
    /// The largest text held back, in bytes. A longer call is shown as text.
    package static let maxHeldBytes = 16_384
    /// The most white space between a call and its closing tag, in bytes.
    private static let maxGap = 64

    /// A part of an answer.
    package enum Piece: Sendable, Hashable {
        /// Text to show, in whole scalars. Invalid UTF-8 is repaired.
        case text(String)
        /// Calls, with the text that contained them.
        case calls([ToolCall], raw: String)
    }

    private let toolNames: [[UInt8]]
    private var pieces: [Piece] = []
    private var shown: [UInt8] = []
    private var fences = CodeFences()
    /// The previous byte, unless it belongs to a call.
    private var previous: UInt8?

    private var candidate: CallCandidate?
    /// The bytes of the candidate, or of complete calls before a possible closing tag.
    private var held: [UInt8] = []
    private var complete: [ToolCall]?
    private var closing = ClosingTag()

    /// Creates a finder for one answer.
    ///
    /// - Parameter toolNames: The names of the offered tools.
    package init(toolNames: [String]) { self.toolNames = toolNames.map { Array($0.utf8) } }

    /// Takes the next bytes of the answer.
    ///
    /// - Returns: The text to show and the calls to carry out now, in order.
    package mutating func push(_ bytes: some Sequence<UInt8>) -> [Piece] {
        for byte in bytes { read(byte) }
        flush(keeping: UTF8Border.incompleteTail(of: shown))
        return takePieces()
    }

    /// Ends the answer: held-back text is shown, unless it is a complete call.
    package mutating func finish() -> [Piece] {
        if complete != nil {
            let gap = closing.hasBegun ? [] : closing.tail
            endCalls(withTail: closing.hasBegun)
            for byte in gap { show(byte) }
        } else if let calls = candidate?.end() {
            complete = calls
            closing = ClosingTag()
            endCalls(withTail: false)
        } else {
            release()
        }
        flush(keeping: 0)
        return takePieces()
    }

    private mutating func takePieces() -> [Piece] {
        defer { pieces = [] }
        return pieces
    }

    // MARK: Bytes

    private mutating func read(_ byte: UInt8) {
        if complete != nil { return readBehindCalls(byte) }
        guard candidate != nil else { return readText(byte) }
        let verdict = candidate?.read(byte, toolNames: toolNames)
        switch verdict {
        case .more where held.count < Self.maxHeldBytes: held.append(byte)
        case .more, .impossible, nil:
            release()
            readText(byte)
        case .complete(let calls):
            held.append(byte)
            complete = calls
            closing = ClosingTag()
        }
    }

    private mutating func readText(_ byte: UInt8) {
        if !fences.isInCode {
            candidate = CallCandidate(
                byte, isWordStart: isWordStart, isLineStart: fences.isAtLineStart, toolNames: toolNames)
            if candidate != nil {
                held.append(byte)
                return
            }
        }
        show(byte)
    }

    /// Handles a byte after complete calls: a closing tag, another call, or text.
    private mutating func readBehindCalls(_ byte: UInt8) {
        if byte == UInt8(ascii: ";"), !closing.hasBegun, let tag = candidate?.tag, tag.takesSemicolon {
            closing.append(byte)
            endCalls(withTail: true)
            candidate = CallCandidate(behind: tag)
            return
        }
        switch closing.read(byte) {
        case .more where closing.tail.count <= Self.maxGap: return
        case .whole:
            endCalls(withTail: true)
            return
        case .more, .none:
            let rest = closing.tail
            endCalls(withTail: false)
            // The rest includes this byte. Its white space is text, and a wrong closing tag may open a call.
            for byte in rest { read(byte) }
        }
    }

    // MARK: Results

    private var isWordStart: Bool {
        guard let previous else { return true }
        switch previous {
        case UInt8(ascii: ":"), UInt8(ascii: ">"), UInt8(ascii: ","), UInt8(ascii: ";"): return true
        default: return JSONSpace.contains(previous)
        }
    }

    private mutating func show(_ byte: UInt8) {
        shown.append(byte)
        fences.read(byte)
        previous = byte
    }

    /// Shows the held-back text.
    private mutating func release() {
        for byte in held { show(byte) }
        held.removeAll(keepingCapacity: true)
        candidate = nil
    }

    /// Returns the calls, with or without the closing tag.
    private mutating func endCalls(withTail: Bool) {
        guard let calls = complete else { return }
        flush(keeping: 0)
        let raw = withTail ? held + closing.tail : held
        pieces.append(.calls(calls, raw: String(decoding: raw, as: UTF8.self)))
        held.removeAll(keepingCapacity: true)
        complete = nil
        candidate = nil
        previous = nil
    }

    private mutating func flush(keeping count: Int) {
        let end = shown.count - count
        guard end > 0 else { return }
        pieces.append(.text(String(decoding: shown[..<end], as: UTF8.self)))
        shown.removeFirst(end)
    }
}
