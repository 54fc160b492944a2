/// Reads a fenced code block that contains only calls of known tools, from its first backtick.
struct FencedCalls {
    private enum Place {
        case opening(backticks: Int)
        case info
        case body
        case call
        case closing(backticks: Int)
    }

    /// The info strings of blocks that may hold calls.
    private static let infos: [[UInt8]] = ["json", "JSON", "tool", "tool_call", "tool_calls", "tool_code"]
        .map { Array($0.utf8) }
    private static let backtick = UInt8(ascii: "`")

    private let toolNames: [[UInt8]]
    private var place = Place.opening(backticks: 0)
    private var info = WordMatch(infos)
    private var shape: CallShape
    private var calls: [ToolCall] = []

    init(toolNames: [[UInt8]]) {
        self.toolNames = toolNames
        shape = CallShape(toolNames: toolNames)
    }

    /// Takes a byte.
    mutating func read(_ byte: UInt8) -> CandidateVerdict {
        switch place {
        case .opening(3):
            place = .info
            return inInfo(byte)
        case .opening(let count):
            place = .opening(backticks: count + 1)
            return byte == Self.backtick ? .more : .impossible
        case .info: return inInfo(byte)
        case .body:
            if JSONSpace.contains(byte) { return .more }
            if byte == Self.backtick {
                place = .closing(backticks: 1)
                return calls.isEmpty ? .impossible : .more
            }
            place = .call
            shape = CallShape(toolNames: toolNames)
            return inCall(byte)
        case .call: return inCall(byte)
        case .closing(let count):
            place = .closing(backticks: count + 1)
            guard byte == Self.backtick else { return .impossible }
            return count == 2 ? .complete(calls) : .more
        }
    }

    /// The calls if the text ends here; nil inside a call.
    func end() -> [ToolCall]? {
        switch place {
        case .body, .closing: calls.isEmpty ? nil : calls
        case .opening, .info, .call: nil
        }
    }

    private mutating func inInfo(_ byte: UInt8) -> CandidateVerdict {
        if byte == UInt8(ascii: "\n") {
            place = .body
            return info.word.isEmpty || info.isWhole ? .more : .impossible
        }
        if JSONSpace.contains(byte) { return .more }
        return info.read(byte) ? .more : .impossible
    }

    private mutating func inCall(_ byte: UInt8) -> CandidateVerdict {
        switch shape.read(byte) {
        case .more: return .more
        case .impossible: return .impossible
        case .complete:
            guard let more = CallJSON.calls(shape.bytes, toolNames: toolNames) else { return .impossible }
            calls += more
            place = .body
            return .more
        }
    }
}
