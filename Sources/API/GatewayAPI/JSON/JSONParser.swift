/// Checks a JSON text against the grammar of RFC 8259 and against limits, and records the positions of its values.
///
/// Runs in one pass without recursion and decodes nothing. A text that exceeds a limit costs only the bytes up to that
/// point.
struct JSONParser {
    /// The maximum length of a number, in bytes.
    static let numberLimit = 1024

    private enum Expected {
        case value, firstElement, firstName, name, separator, end
    }

    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var nodes: [JSONDocument.Node] = []
    /// The nodes of the open arrays and objects, outermost first.
    private var open: [Int] = []

    init(_ bytes: [UInt8], _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        nodes.reserveCapacity(min(limits.values, bytes.count / 8 + 8, 4096))
    }

    mutating func parse() throws(JSONRefusal) -> [JSONDocument.Node] {
        // Positions are 32 bits wide.
        guard UInt32(exactly: bytes.count) != nil else { throw .malformed(at: 0) }
        // A byte order mark has no meaning in UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        var expected = Expected.value
        while true {
            skipSpace()
            guard position < bytes.count else {
                guard case .end = expected else { throw .malformed(at: position) }
                return nodes
            }
            let byte = bytes[position]
            switch expected {
            case .end: throw .malformed(at: position)
            case .value: expected = try value(byte)
            case .firstElement: expected = byte == UInt8(ascii: "]") ? try close(byte) : try value(byte)
            case .firstName where byte == UInt8(ascii: "}"): expected = try close(byte)
            case .firstName, .name:
                guard byte == UInt8(ascii: "\"") else { throw .malformed(at: position) }
                try string()
                skipSpace()
                guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
                    throw .malformed(at: position)
                }
                position += 1
                expected = .value
            case .separator where byte == UInt8(ascii: ","):
                position += 1
                expected = isInObject ? .name : .value
            case .separator: expected = try close(byte)
            }
        }
    }

    private var isInObject: Bool { open.last.map { nodes[$0].kind == .object } ?? false }

    private var afterValue: Expected { open.isEmpty ? .end : .separator }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func value(_ byte: UInt8) throws(JSONRefusal) -> Expected {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth) }
            let isObject = byte == UInt8(ascii: "{")
            open.append(nodes.count)
            try add(isObject ? .object : .array, from: position, to: position)
            position += 1
            return isObject ? .firstName : .firstElement
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
        return afterValue
    }

    private mutating func close(_ byte: UInt8) throws(JSONRefusal) -> Expected {
        guard let container = open.last,
            byte == (nodes[container].kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        else { throw .malformed(at: position) }
        open.removeLast()
        position += 1
        nodes[container].end = UInt32(position)
        nodes[container].next = UInt32(nodes.count)
        return afterValue
    }

    private mutating func add(_ kind: JSONDocument.Kind, from start: Int, to end: Int) throws(JSONRefusal) {
        guard nodes.count < limits.values else { throw .tooManyValues(limit: limits.values) }
        nodes.append(
            JSONDocument.Node(kind: kind, start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1)))
    }

    private mutating func string() throws(JSONRefusal) {
        let start = position + 1
        var kind = JSONDocument.Kind.plain
        var place = start
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                try add(kind, from: start, to: place)
                position = place + 1
                return
            case UInt8(ascii: "\\"):
                kind = .escaped
                place = try behindEscape(place)
            case 0..<0x20: throw .malformed(at: place)
            default: place += 1
            }
        }
        throw .malformed(at: place)
    }

    private func behindEscape(_ place: Int) throws(JSONRefusal) -> Int {
        guard place + 1 < bytes.count else { throw .malformed(at: place) }
        switch bytes[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return place + 2
        case UInt8(ascii: "u"):
            let end = place + 6
            guard end <= bytes.count, bytes[(place + 2)..<end].allSatisfy({ JSONEscapes.value($0) != nil }) else {
                throw .malformed(at: place)
            }
            return end
        default: throw .malformed(at: place)
        }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONDocument.Kind) throws(JSONRefusal) {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, String(decoding: bytes[position..<end], as: UTF8.self) == "\(word)" else {
            throw .malformed(at: position)
        }
        try add(kind, from: position, to: end)
        position = end
    }

    private mutating func number() throws(JSONRefusal) {
        let start = position
        var place = position
        if bytes[place] == UInt8(ascii: "-") { place += 1 }
        let whole = digits(&place)
        // A leading 0 is valid only in the number 0.
        guard whole > 0, whole == 1 || bytes[place - whole] != UInt8(ascii: "0") else { throw .malformed(at: start) }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            place += 1
            guard digits(&place) > 0 else { throw .malformed(at: start) }
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < bytes.count, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") {
                place += 1
            }
            guard digits(&place) > 0 else { throw .malformed(at: start) }
        }
        guard place - start <= Self.numberLimit else { throw .malformed(at: start) }
        try add(.number, from: start, to: place)
        position = place
    }

    /// Skips digits and returns their count.
    private func digits(_ place: inout Int) -> Int {
        let start = place
        while place < bytes.count, (0x30...0x39).contains(bytes[place]) { place += 1 }
        return place - start
    }
}
