/// The state of a candidate after a byte.
enum CandidateVerdict {
    /// The text may become a call.
    case more
    /// The text cannot become a call; the byte does not belong to it.
    case impossible
    /// The calls are complete with this byte.
    case complete([ToolCall])
}

/// Text that may become a call. One of the fields is set; fields change in place, so that a byte copies nothing.
struct CallCandidate {
    /// The beginning of a tag or an array.
    private var mark: WordMatch?
    private let mayBeArray: Bool
    private var tagged: TaggedCall?
    private var json: CallShape?
    private var fenced: FencedCalls?

    private static let openings = CallTag.all.map(\.opening)

    /// Creates a candidate at a byte; nil when no call can begin with this byte.
    ///
    /// - Parameters:
    ///   - isWordStart: Whether JSON may begin here, after white space or the like.
    ///   - isLineStart: Whether a fence may begin here.
    init?(_ byte: UInt8, isWordStart: Bool, isLineStart: Bool, toolNames: [[UInt8]]) {
        mayBeArray = isWordStart
        switch byte {
        case UInt8(ascii: "{") where isWordStart: json = CallShape(toolNames: toolNames)
        case UInt8(ascii: "["), UInt8(ascii: "<"): mark = WordMatch(Self.openings)
        case UInt8(ascii: "`") where isLineStart: fenced = FencedCalls(toolNames: toolNames)
        default: return nil
        }
        _ = read(byte, toolNames: toolNames)
    }

    /// Creates a candidate after a tag.
    init(behind tag: CallTag) {
        mayBeArray = false
        tagged = TaggedCall(tag)
    }

    /// The tag of the call; nil without a tag.
    var tag: CallTag? { tagged?.tag }

    /// Takes a byte.
    mutating func read(_ byte: UInt8, toolNames: [[UInt8]]) -> CandidateVerdict {
        if mark != nil { return inMark(byte, toolNames) }
        if let verdict = tagged?.read(byte) { return verdict }
        if let verdict = fenced?.read(byte) { return verdict }
        switch json?.read(byte) {
        case .more: return .more
        case .impossible, nil: return .impossible
        case .complete:
            let calls = CallJSON.calls(json?.bytes ?? [], toolNames: toolNames)
            return calls.map(CandidateVerdict.complete) ?? .impossible
        }
    }

    /// The calls if the text ends here; nil for none.
    func end() -> [ToolCall]? { fenced?.end() }

    private mutating func inMark(_ byte: UInt8, _ toolNames: [[UInt8]]) -> CandidateVerdict {
        let isBracket = mark?.word == [UInt8(ascii: "[")]
        if mayBeArray, isBracket, JSONSpace.contains(byte) || byte == UInt8(ascii: "{") {
            mark = nil
            json = CallShape(toolNames: toolNames)
            _ = json?.read(UInt8(ascii: "["))
            return read(byte, toolNames: toolNames)
        }
        guard mark?.read(byte) == true else { return .impossible }
        if let tag = CallTag.all.first(where: { $0.opening == mark?.word }) {
            mark = nil
            tagged = TaggedCall(tag)
        }
        return .more
    }
}
