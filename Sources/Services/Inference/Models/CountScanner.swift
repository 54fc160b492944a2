#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Finds token counts in streamed JSON values, without buffering the values.
///
/// Only members at the places that an API defines count, so a model's own text cannot fake them. Memory is bounded:
/// longer names than ``nameLimit`` bytes never match.
struct CountScanner: Sendable {
    /// The API that defines where the counts are.
    enum Dialect: Sendable, Hashable {
        /// `prompt_eval_count`, `eval_count` and `done_reason` of the outermost object.
        case ollama
        /// `prompt_tokens` or `input_tokens`, and `completion_tokens` or `output_tokens`, of `usage`, which is a member
        /// of the outermost object or of its `message` (Anthropic) or `response` (OpenAI's Responses).
        case openAI
    }

    /// The maximum bytes of a name to keep.
    static let nameLimit = 32

    /// The role of a tracked object.
    private enum Level: Sendable { case root, carrier, usage }
    /// The role of a member of a tracked object.
    private enum Member: Sendable { case prompt, completion, reason, carrier, usage, other }

    /// The largest count of prompt tokens; nil when there was none.
    private(set) var prompt: Int?
    /// The largest count of generated tokens; nil when there was none.
    private(set) var completion: Int?
    /// Whether an answer said that it only loaded or unloaded a model.
    private(set) var hasLoaded = false

    private let dialect: Dialect
    private var depth = 0
    /// The number of open objects that are tracked, from the outermost; at most three.
    private var tracked = 0
    /// The role of the second tracked object; the third is always `usage`.
    private var second = Level.usage
    private var isInString = false
    private var isEscaped = false
    private var isNameNext = false
    private var member = Member.other
    /// The name or reason being read.
    private var text: [UInt8] = []
    private var keepsText = false
    private var number: Int?
    private var digits = 0

    init(_ dialect: Dialect) { self.dialect = dialect }

    private var isTracked: Bool { depth == tracked && depth > 0 }

    /// Whether a whole value may contain counts: false when none of their names occurs. Much faster than a scan.
    func mayCount(in bytes: UnsafeRawBufferPointer) -> Bool {
        switch dialect {
        case .ollama:
            unsafe Self.contains("eval_count", at: 4, bytes) || Self.contains("done_reason", at: 4, bytes)
        case .openAI: unsafe Self.contains("usage", at: 3, bytes)
        }
    }

    /// Whether bytes contain a name. Searches for the name's byte at `index`, which should be a rare byte.
    private static func contains(_ name: StaticString, at index: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        let length = name.utf8CodeUnitCount
        let anchor = unsafe Int32(name.utf8Start[index])
        var position = index
        while position < bytes.count, let found = unsafe memchr(base + position, anchor, bytes.count - position) {
            let start = unsafe UnsafeRawPointer(found) - base - index
            guard start + length <= bytes.count else { return false }
            if unsafe memcmp(base + start, name.utf8Start, length) == 0 { return true }
            position = start + index + 1
        }
        return false
    }

    /// Resets the scanner before the next value, even if the current one is incomplete.
    mutating func endValue() {
        endNumber()
        (depth, isInString, isEscaped, isNameNext) = (0, false, false, false)
        (tracked, member, keepsText) = (0, .other, false)
    }

    /// Takes the next bytes.
    mutating func push(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if isInString, !isEscaped {
                // Fast path for the inside of a string, which is most of an answer.
                let start = index
                while index < bytes.count, unsafe bytes[index] != 0x22, unsafe bytes[index] != 0x5C { index += 1 }
                if keepsText {
                    unsafe text.append(contentsOf: bytes[start..<min(index, start + Self.nameLimit - text.count)])
                }
                guard index < bytes.count else { return }
            } else if !isInString, !isTracked {
                // Fast path for untracked numbers, mostly of vectors and contexts.
                while index < bytes.count, unsafe bytes[index] < 0x5B, unsafe bytes[index] != 0x22 { index += 1 }
                guard index < bytes.count else { return }
            }
            unsafe take(bytes[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        if isInString { return takeInString(byte) }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            keepsText = isTracked && (isNameNext || member == .reason)
            if keepsText { text.removeAll(keepingCapacity: true) }
        case UInt8(ascii: "{"): open(isObject: true)
        case UInt8(ascii: "["): open(isObject: false)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            endNumber()
            if isTracked { tracked -= 1 }
            depth = max(0, depth - 1)
            member = .other
        case UInt8(ascii: ","):
            endNumber()
            guard isTracked else { return }
            isNameNext = true
            member = .other
        case UInt8(ascii: "0")...UInt8(ascii: "9"): if isTracked { takeDigit(byte) }
        case 0x20, 0x09, 0x0A, 0x0D: endNumber()
        case UInt8(ascii: ":"): return
        default:
            // A sign, a fraction or an exponent: not a count.
            if isTracked {
                number = nil
                member = .other
            }
        }
    }

    private mutating func open(isObject: Bool) {
        if isObject, depth == 0 {
            tracked = 1
        } else if isObject, isTracked, member == .usage || member == .carrier {
            if tracked == 1 { second = member == .usage ? .usage : .carrier }
            tracked += 1
        }
        depth += 1
        isNameNext = isTracked
        member = .other
    }

    private mutating func takeInString(_ byte: UInt8) {
        if !isEscaped, byte == 0x22 {
            isInString = false
            guard keepsText else { return }
            keepsText = false
            if isNameNext {
                isNameNext = false
                member = meaning()
            } else if text.elementsEqual("load".utf8) || text.elementsEqual("unload".utf8) {
                hasLoaded = true
            }
            return
        }
        isEscaped = !isEscaped && byte == 0x5C
        if keepsText, text.count < Self.nameLimit { text.append(byte) }
    }

    /// The role of the member whose name was just read.
    private func meaning() -> Member {
        func equals(_ name: String) -> Bool { text.elementsEqual(name.utf8) }
        switch (dialect, tracked == 1 ? .root : tracked == 2 ? second : Level.usage) {
        case (.ollama, .root):
            return equals("prompt_eval_count")
                ? .prompt : equals("eval_count") ? .completion : equals("done_reason") ? .reason : .other
        case (.openAI, .root):
            return equals("usage") ? .usage : equals("message") || equals("response") ? .carrier : .other
        case (.openAI, .carrier): return equals("usage") ? .usage : .other
        case (.openAI, .usage):
            if equals("prompt_tokens") || equals("input_tokens") { return .prompt }
            return equals("completion_tokens") || equals("output_tokens") ? .completion : .other
        default: return .other
        }
    }

    private mutating func takeDigit(_ byte: UInt8) {
        guard member == .prompt || member == .completion else { return }
        if number == nil { digits = 0 }
        digits += 1
        // No count has more than 12 digits.
        number = digits <= 12 ? (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")) : nil
        if digits > 12 { member = .other }
    }

    private mutating func endNumber() {
        guard let number else { return }
        self.number = nil
        switch member {
        case .prompt: prompt = max(prompt ?? 0, number)
        case .completion: completion = max(completion ?? 0, number)
        default: break
        }
    }
}
