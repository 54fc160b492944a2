/// Limits of untrusted JSON text.
package struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects.
    package var depth: Int
    /// The maximum number of values and member names together.
    package var values: Int

    package init(depth: Int = 64, values: Int = 262_144) {
        self.depth = depth
        self.values = values
    }
}

/// Why a text was rejected as JSON.
package enum JSONRefusal: Error, Sendable, Hashable {
    /// The text violates the grammar at a byte offset.
    case malformed(at: Int)
    /// The text is nested deeper than ``JSONLimits/depth``.
    case tooDeep(limit: Int)
    /// The text has more values than ``JSONLimits/values``.
    case tooManyValues(limit: Int)
}

/// A fully validated JSON text with the positions of its values.
///
/// Parsing is one pass over the bytes (``JSONParser``) without recursion. It takes linear time, and 16 bytes of memory
/// for each value. Values are decoded on demand.
package final class JSONDocument: Sendable {
    /// The kind of a value.
    enum Kind: UInt8, Sendable {
        case null, yes, no, number, array, object
        /// A string without escapes.
        case plain
        /// A string with escapes.
        case escaped
    }

    /// The position of a value or of a member name.
    struct Node: Sendable {
        var kind: Kind
        /// The offset of the first byte; of a string, the byte after the opening quote.
        var start: UInt32
        /// The offset after the last byte; of a string, the closing quote.
        var end: UInt32
        /// The index of the first node after this one and its descendants.
        var next: UInt32
    }

    let bytes: [UInt8]
    /// The values in text order. An array's node precedes its elements, an object's its alternating names and values.
    let nodes: [Node]

    /// Parses a text.
    ///
    /// - Throws: ``JSONRefusal`` when the text is not JSON or exceeds a limit.
    package init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONRefusal) {
        var parser = JSONParser(bytes, limits)
        nodes = try parser.parse()
        self.bytes = bytes
    }

    /// Whether the text is an array.
    package var isArray: Bool { nodes[0].kind == .array }

    /// The whole text as a value.
    ///
    /// - Returns: nil for invalid UTF-8, half a surrogate pair, or a number that does not fit a double.
    package var value: JSONValue? { value(at: 0) }

    /// The bytes of a member of the outermost object, as the text has them; nil for strings and absent members.
    package func source(of name: String) -> ArraySlice<UInt8>? {
        guard nodes[0].kind == .object else { return nil }
        var places = children(of: 0)
        while let place = places.next(), let member = places.next() {
            guard text(at: place) == name else { continue }
            let node = nodes[member]
            guard node.kind != .plain, node.kind != .escaped else { return nil }
            return bytes[Int(node.start)..<Int(node.end)]
        }
        return nil
    }

    /// Returns the nodes of an array's elements, or an object's alternating names and values.
    func children(of index: Int) -> Children { Children(document: self, index: index) }

    struct Children: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private var current: Int
        private let end: Int

        init(document: JSONDocument, index: Int) {
            self.document = document
            current = index + 1
            end = Int(document.nodes[index].next)
        }

        mutating func next() -> Int? {
            guard current < end else { return nil }
            defer { current = Int(document.nodes[current].next) }
            return current
        }
    }

    // MARK: Values

    /// Returns a string's text; nil when it is not UTF-8, has half a surrogate pair or is not a string.
    func text(at index: Int) -> String? {
        let node = nodes[index]
        let raw = bytes[Int(node.start)..<Int(node.end)]
        switch node.kind {
        case .plain: return String(validating: raw, as: UTF8.self)
        case .escaped: return JSONEscapes.resolve(raw).flatMap { String(validating: $0, as: UTF8.self) }
        default: return nil
        }
    }

    /// Returns a number that is whole and fits the type; nil otherwise.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) -> Number? {
        guard let text = digits(at: index) else { return nil }
        // `1e3` and `1.0` are whole numbers too.
        return Number(text) ?? Double(text).flatMap { Number(exactly: $0) }
    }

    /// Returns a number as floating point; nil when it is too large.
    func float<Number: LosslessStringConvertible & FloatingPoint>(_ type: Number.Type, at index: Int) -> Number? {
        guard let text = digits(at: index), let number = Number(text), number.isFinite else { return nil }
        return number
    }

    private func digits(at index: Int) -> String? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }

    /// Returns a value with its descendants. The first of several members with the same name counts.
    ///
    /// The recursion is as deep as the text, which ``JSONLimits/depth`` bounds.
    func value(at index: Int) -> JSONValue? {
        switch nodes[index].kind {
        case .null: return .null
        case .yes: return .bool(true)
        case .no: return .bool(false)
        case .number:
            return integer(Int64.self, at: index).map(JSONValue.integer)
                ?? float(Double.self, at: index).map(JSONValue.number)
        case .plain, .escaped: return text(at: index).map(JSONValue.string)
        case .array:
            var elements: [JSONValue] = []
            for child in children(of: index) {
                guard let element = value(at: child) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case .object:
            var members: [String: JSONValue] = [:]
            var places = children(of: index)
            while let place = places.next(), let member = places.next() {
                guard let name = text(at: place) else { return nil }
                guard members.index(forKey: name) == nil else { continue }
                guard let value = value(at: member) else { return nil }
                members[name] = value
            }
            return .object(members)
        }
    }
}

/// Decodes escapes in JSON strings.
enum JSONEscapes {
    /// Returns the bytes of a string's content; nil for half a surrogate pair. The grammar must be checked already.
    static func resolve(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                bytes += Array(String(Character(scalar)).utf8)
            default: bytes.append(escape)
            }
        }
        return bytes
    }

    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let unit = unit(&rest) else { return nil }
        guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"), let low = self.unit(&rest),
            (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
    }

    /// Reads four hexadecimal digits; nil for anything else.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(value) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// Returns the value of a hexadecimal digit; nil for another byte.
    static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
        default: nil
        }
    }
}
