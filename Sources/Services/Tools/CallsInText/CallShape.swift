/// Reads the JSON of a call byte by byte and rejects it at the first byte that no call can contain.
///
/// Checks the structure, the member names and, for text without a tag, the tool names. Numbers, literals and escapes
/// are left to the parser that reads the complete JSON. Each byte takes constant time, and the nesting is bounded.
struct CallShape {
    /// The state after a byte.
    enum Verdict { case more, complete, impossible }

    /// The maximum nesting of arrays and objects.
    static let depthLimit = 32

    private enum Container { case call, callList, object, array }
    private enum Expected { case value, firstElement, firstName, name, colon, separator }
    /// The current string: the words to compare it with, and the rest of an escape.
    private struct Text {
        var match: WordMatch?
        var isKey = false
        var isEscaped = false
    }

    /// The bytes so far.
    private(set) var bytes: [UInt8] = []
    private let toolNames: [[UInt8]]?
    private var open: [Container] = []
    private var expected = Expected.value
    /// The meaning of the next value.
    private var key: CallKey
    private var text: Text?
    private var isInScalar = false

    /// Creates a reader for one value.
    ///
    /// - Parameters:
    ///   - key: The kind of value: calls, or the arguments of one call.
    ///   - toolNames: The accepted tool names; nil for any.
    init(_ key: CallKey = .calls, toolNames: [[UInt8]]?) {
        self.key = key
        self.toolNames = toolNames
    }

    /// Takes a byte.
    mutating func read(_ byte: UInt8) -> Verdict {
        bytes.append(byte)
        if text != nil { return inText(byte) }
        if isInScalar {
            if Self.isScalar(byte) { return .more }
            isInScalar = false
            expected = .separator
        }
        if JSONSpace.contains(byte) { return .more }
        switch expected {
        case .value: return begin(byte)
        case .firstElement: return byte == UInt8(ascii: "]") ? close(byte) : begin(byte)
        case .firstName where byte == UInt8(ascii: "}"): return close(byte)
        case .firstName, .name: return beginName(byte)
        case .colon:
            expected = .value
            return byte == UInt8(ascii: ":") ? .more : .impossible
        case .separator where byte == UInt8(ascii: ","):
            expected = isInObject ? .name : .value
            return .more
        case .separator: return close(byte)
        }
    }

    private var isInObject: Bool { open.last == .call || open.last == .object }

    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    // MARK: Values

    private mutating func begin(_ byte: UInt8) -> Verdict {
        let key = open.isEmpty || open.last == .call ? key : (open.last == .callList ? .calls : .other)
        switch (key, byte) {
        case (.calls, UInt8(ascii: "{")), (.function, UInt8(ascii: "{")): return push(.call)
        case (.calls, UInt8(ascii: "[")) where open.last != .callList: return push(.callList)
        case (.name, UInt8(ascii: "\"")), (.function, UInt8(ascii: "\"")):
            text = Text(match: toolNames.map(WordMatch.init))
        case (.type, UInt8(ascii: "\"")): text = Text(match: WordMatch(CallKey.types))
        case (.arguments, UInt8(ascii: "{")), (.other, UInt8(ascii: "{")): return push(.object)
        case (.other, UInt8(ascii: "[")): return push(.array)
        case (.arguments, UInt8(ascii: "\"")), (.other, UInt8(ascii: "\"")): text = Text()
        case (.arguments, UInt8(ascii: "n")): isInScalar = true
        case (.other, _) where Self.isScalar(byte): isInScalar = true
        default: return .impossible
        }
        return .more
    }

    private mutating func push(_ container: Container) -> Verdict {
        guard open.count < Self.depthLimit else { return .impossible }
        open.append(container)
        expected = isInObject ? .firstName : .firstElement
        return .more
    }

    /// Closes a container. A call must have members, and a list of calls elements.
    private mutating func close(_ byte: UInt8) -> Verdict {
        guard let container = open.popLast() else { return .impossible }
        let closing = container == .call || container == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
        let isEmpty = expected == .firstName || expected == .firstElement
        guard byte == closing, !isEmpty || container == .object || container == .array else { return .impossible }
        expected = .separator
        return open.isEmpty ? .complete : .more
    }

    // MARK: Strings

    private mutating func beginName(_ byte: UInt8) -> Verdict {
        guard byte == UInt8(ascii: "\"") else { return .impossible }
        text = Text(match: open.last == .call ? WordMatch(CallKey.spellings) : nil, isKey: true)
        return .more
    }

    private mutating func inText(_ byte: UInt8) -> Verdict {
        guard byte >= 0x20 else { return .impossible }
        if text?.isEscaped == true {
            text?.isEscaped = false
            return .more
        }
        if byte == UInt8(ascii: "\"") { return endText() }
        if byte == UInt8(ascii: "\\") {
            text?.isEscaped = true
            return text?.match == nil ? .more : .impossible
        }
        return text?.match?.read(byte) == false ? .impossible : .more
    }

    private mutating func endText() -> Verdict {
        defer { text = nil }
        let isKey = text?.isKey == true
        expected = isKey ? .colon : .separator
        guard let match = text?.match else { return .more }
        guard match.isWhole else { return .impossible }
        if isKey, let next = CallKey(match.word) { key = next }
        return .more
    }
}
