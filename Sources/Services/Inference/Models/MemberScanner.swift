/// Finds members of one JSON object while its bytes arrive, without decoding the values.
///
/// It records the ranges of the wanted members' values, and the text of strings. A stricter parser must read the body
/// afterwards: for valid JSON both find the same members, but invalid JSON may be misread. Of bytes after the object it
/// records only that they exist, since Go's decoder ignores them.
struct MemberScanner {
    /// The maximum bytes of a name or a string value to keep.
    static let textLimit = 1024
    /// The maximum number of members to record.
    static let memberLimit = 256

    /// The type of a value.
    enum Kind: Sendable, Hashable {
        case string, object, array, null
        /// A number or a boolean.
        case scalar
    }

    /// A member with a complete value.
    struct Member: Sendable, Hashable {
        /// The name, escapes resolved.
        var name: String
        var kind: Kind
        /// The byte range of the value, counted from the first byte pushed.
        var range: Range<Int>
        /// The text of a string value; nil for other types, and for a string that is too long or has an invalid escape.
        var text: String?
    }

    /// The token that comes next in the object itself.
    private enum Slot: Sendable, Hashable {
        case name, colon, value
        /// A comma or the end.
        case separator
    }

    /// The state of the scan.
    enum Progress: Sendable, Hashable {
        case before, within
        /// The object has ended with a closing brace at this offset.
        case ended(at: Int)
        /// The bytes are not an object, or it has more than ``memberLimit`` members.
        case failed
    }

    /// The wanted members in order; names may repeat.
    private(set) var members: [Member] = []
    private(set) var progress = Progress.before
    /// Whether the object has any member.
    private(set) var hasMembers = false
    /// Whether anything but white space follows the object.
    private(set) var isFollowed = false
    /// The number of bytes pushed.
    private(set) var offset = 0

    private let isWanted: (String) -> Bool
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var slot = Slot.name
    /// The wanted name whose value is next or being read.
    private var name: String?
    private var value: (kind: Kind, start: Int)?
    private var text: [UInt8] = []
    private var keepsText = false
    private var isTextTooLong = false

    /// Creates a scanner for members whose unescaped names satisfy a condition.
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
                // Fast path for the inside of an unwanted string, which is most of a large body.
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

    /// Whether a byte may occur in a number, a boolean or null. Any other byte outside strings is invalid, such as the
    /// comments and bare words that lenient parsers accept.
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
        // No wanted name is this long.
        guard !isTextTooLong else { return name = nil }
        guard let full = JSONText.text(of: text) else { return fail() }
        name = isWanted(full) ? full : nil
    }

    private mutating func beginValue(_ kind: Kind) { value = (kind, offset) }

    /// Ends a number, a boolean or null; any following token does.
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
