/// What is known of a candidate after a byte.
enum CandidateVerdict {
    /// It may become a call.
    case more
    /// It cannot become one; the byte does not belong to it.
    case impossible
    /// It is complete with this byte.
    case complete([ToolCall])
}

/// Text that may still become a call. One of the fields is set; they change in place, so that a byte copies nothing.
struct CallCandidate {
    /// The beginning of a tag, or of an array.
    private var mark: WordMatch?
    private let mayBeArray: Bool
    private var tagged: TaggedCall?
    private var json: CallShape?
    private var fenced: FencedCalls?

    private static let openings = CallTag.all.map(\.opening)

    /// Starts at a byte; nil when no call begins with it.
    ///
    /// - Parameters:
    ///   - isWordStart: Whether JSON may begin here, for it stands behind white space or the like.
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

    /// Starts behind a tag.
    init(behind tag: CallTag) {
        mayBeArray = false
        tagged = TaggedCall(tag)
    }

    /// The tag of the call.
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

    /// The calls when the text ends here; nil when it is none.
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
