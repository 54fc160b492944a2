/// Reads the white space and the closing tag after a call.
struct ClosingTag {
    enum Verdict {
        case more
        /// The tag is complete.
        case whole
        /// Another text follows.
        case none
    }

    /// The bytes so far, including the one that does not fit.
    private(set) var tail: [UInt8] = []
    private var match = WordMatch(CallTag.closings)

    /// Whether a byte other than white space arrived.
    var hasBegun: Bool { !match.word.isEmpty }

    mutating func append(_ byte: UInt8) { tail.append(byte) }

    mutating func read(_ byte: UInt8) -> Verdict {
        tail.append(byte)
        if !hasBegun, JSONSpace.contains(byte) { return .more }
        guard match.read(byte) else { return .none }
        return match.isWhole ? .whole : .more
    }
}
