/// Finds members of one JSON object while its bytes come, without decoding what they hold.
///
/// It notes where the values of the wanted members stand, and the text of those that are strings. It is made for bodies
/// that a stricter parser reads afterwards: of what is valid JSON it finds what that parser finds; what is not may be
/// misread. Of what follows the object it notes only that it is there: Go's decoder does not look at it.
struct MemberScanner {
    /// Bytes of a name, or of a value that is a string, that are kept at most.
    static let textLimit = 1024
    /// Members that are noted at most.
    static let memberLimit = 256

    /// What a value is.
    enum Kind: Sendable, Hashable {
        case string, object, array, null
        /// A number or a boolean.
        case scalar
    }

    /// A member whose value has been seen whole.
    struct Member: Sendable, Hashable {
        /// The name, escapes resolved.
        var name: String
        var kind: Kind
        /// Where the value stands, counted from the first byte that was pushed.
        var range: Range<Int>
        /// The text of a value that is a string; nil for others, and for one that is too long or wrongly escaped.
        var text: String?
    }

    /// What comes next in the object itself.
    private enum Slot: Sendable, Hashable {
        case name, colon, value
        /// A comma or the end.
        case separator
    }

    /// Where the object begins and what is left to come.
    enum Progress: Sendable, Hashable {
        case before, within
        /// The object has ended; its closing brace stands at the offset.
        case ended(at: Int)
        /// It is not an object, or has more members than are noted.
        case failed
    }

    /// The wanted members in their order; names may repeat.
    private(set) var members: [Member] = []
    private(set) var progress = Progress.before
    /// Whether the object has any member.
    private(set) var hasMembers = false
    /// Whether anything but white space follows the object.
    private(set) var isFollowed = false
    /// Bytes that were pushed.
    private(set) var offset = 0

    private let isWanted: (String) -> Bool
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var slot = Slot.name
    /// The wanted name whose value comes, or is passing.
    private var name: String?
    private var value: (kind: Kind, start: Int)?
    private var text: [UInt8] = []
    private var keepsText = false
    private var isTextTooLong = false

    /// Creates a scanner for the members whose names, escapes resolved, satisfy a condition.
    init(_ isWanted: @escaping (String) -> Bool) { self.isWanted = isWanted }

    /// Takes the next bytes.
    mutating func push(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if progress != .before, progress != .within {
                unsafe lookBehind(UnsafeRawBufferPointer(rebasing: bytes[index...]))
                offset += bytes.count - index
                return
            }
            let byte = unsafe bytes[index]
            if isInString, !isEscaped, !keepsText, byte != 0x22, byte != 0x5C {
                // Most of a large body: the inside of a string that nobody wants.
                var end = index + 1
                while end < bytes.count, unsafe bytes[end] != 0x22, unsafe bytes[end] != 0x5C { end += 1 }
                offset += end - index
                index = end
                continue
            }
            take(byte)
            offset += 1
            index += 1
        }
    }

    private mutating func lookBehind(_ rest: UnsafeRawBufferPointer) {
        for index in 0..<rest.count where !isFollowed {
            isFollowed = unsafe ![0x20, 0x09, 0x0A, 0x0D].contains(rest[index])
        }
    }

    private mutating func take(_ byte: UInt8) {
        if isInString { return takeInString(byte) }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: endScalar()
        case UInt8(ascii: "\""):
            guard depth > 0 else { return fail() }
            isInString = true
            guard depth == 1 else { return }
            guard slot == .name || slot == .value else { return fail() }
            if slot == .value { beginValue(.string) }
            keepsText = slot == .name || name != nil
            text = []
            isTextTooLong = false
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            if depth == 0 {
                guard isObject else { return fail() }
                progress = .within
            } else if depth == 1 {
                guard slot == .value else { return fail() }
                beginValue(isObject ? .object : .array)
            }
            depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { return fail() }
            endScalar()
            depth -= 1
            if depth == 1 { endValue(at: offset + 1) }
            if depth == 0 {
                guard byte == UInt8(ascii: "}"), slot == (hasMembers ? .separator : .name) else { return fail() }
                progress = .ended(at: offset)
            }
        case UInt8(ascii: ","):
            guard depth > 0 else { return fail() }
            endScalar()
            if depth == 1 {
                guard slot == .separator else { return fail() }
                slot = .name
                name = nil
            }
        case UInt8(ascii: ":"):
            guard depth > 0, depth > 1 || slot == .colon else { return fail() }
            if depth == 1 { slot = .value }
        default:
            guard depth > 0, Self.isScalar(byte) else { return fail() }
            guard depth == 1, value == nil else { return }
            guard slot == .value else { return fail() }
            beginValue(byte == UInt8(ascii: "n") ? .null : .scalar)
        }
    }

    /// Whether a byte may stand in a number, a boolean or null; what else stands outside strings is no JSON, such as the
    /// comments and the bare words that lenient parsers take.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func takeInString(_ byte: UInt8) {
        if !isEscaped, byte == UInt8(ascii: "\"") {
            isInString = false
            guard depth == 1 else { return }
            if slot == .name { return endName() }
            return endValue(at: offset + 1)
        }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        guard keepsText else { return }
        if text.count < Self.textLimit { text.append(byte) } else { isTextTooLong = true }
    }

    private mutating func endName() {
        hasMembers = true
        slot = .colon
        keepsText = false
        // A name that is too long is none of those that anybody wants.
        guard !isTextTooLong else { return name = nil }
        guard let full = JSONText.text(of: text) else { return fail() }
        name = isWanted(full) ? full : nil
    }

    private mutating func beginValue(_ kind: Kind) { value = (kind, offset) }

    /// A number, a boolean or null ends with whatever follows it.
    private mutating func endScalar() {
        guard depth == 1, let kind = value?.kind, kind == .scalar || kind == .null else { return }
        endValue(at: offset)
    }

    private mutating func endValue(at end: Int) {
        slot = .separator
        defer {
            value = nil
            keepsText = false
        }
        guard let name, let value else { return }
        guard members.count < Self.memberLimit else { return fail() }
        let text = value.kind == .string && !isTextTooLong ? JSONText.text(of: text) : nil
        members.append(Member(name: name, kind: value.kind, range: value.start..<end, text: text))
    }

    private mutating func fail() { progress = .failed }
}
