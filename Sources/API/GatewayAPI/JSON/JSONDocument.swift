/// The limits of a JSON text that comes from outside.
package struct JSONLimits: Sendable, Hashable {
    /// Levels of arrays and objects.
    package var depth: Int
    /// Values and names of members, all together.
    package var values: Int

    /// Creates limits.
    package init(depth: Int = 64, values: Int = 262_144) {
        self.depth = depth
        self.values = values
    }
}

/// The reason for which a text is not taken as JSON.
package enum JSONRefusal: Error, Sendable, Hashable {
    /// The text breaks the grammar at a byte.
    case malformed(at: Int)
    /// The text is nested deeper than ``JSONLimits/depth``.
    case tooDeep(limit: Int)
    /// The text has more values than ``JSONLimits/values``.
    case tooManyValues(limit: Int)
}

/// A JSON text that was checked whole, with the places of its values.
///
/// Parsing is one pass over the bytes (``JSONParser``) without recursion: it takes time in proportion to the bytes and 16
/// bytes of memory for each value. Values are decoded from their places when they are asked for.
package final class JSONDocument: Sendable {
    /// What a value is.
    enum Kind: UInt8, Sendable {
        case null, yes, no, number, array, object
        /// A string without escapes.
        case plain
        /// A string with escapes.
        case escaped
    }

    /// The place of a value, or of a member's name.
    struct Node: Sendable {
        var kind: Kind
        /// The first byte; of a string, the one behind the quote.
        var start: UInt32
        /// The byte behind the last one; of a string, the closing quote.
        var end: UInt32
        /// The node behind this one and all that is in it.
        var next: UInt32
    }

    let bytes: [UInt8]
    /// The values in the order of the text. An array is followed by its elements, an object by its names and values in turn.
    let nodes: [Node]

    /// Checks a text.
    ///
    /// - Throws: ``JSONRefusal``.
    package init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONRefusal) {
        var parser = JSONParser(bytes, limits)
        nodes = try parser.parse()
        self.bytes = bytes
    }

    /// Whether the text is an array.
    package var isArray: Bool { nodes[0].kind == .array }

    /// The whole text as a value.
    ///
    /// - Returns: nil when a string is not UTF-8 or has half a surrogate pair, or a number does not fit a double.
    package var value: JSONValue? { value(at: 0) }

    /// The nodes of an array's elements, or of an object's names and values in turn.
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

    /// The text of a string; nil when it is not UTF-8, has half a surrogate pair or is no string.
    func text(at index: Int) -> String? {
        let node = nodes[index]
        let raw = bytes[Int(node.start)..<Int(node.end)]
        switch node.kind {
        case .plain: return String(validating: raw, as: UTF8.self)
        case .escaped: return JSONEscapes.resolve(raw).flatMap { String(validating: $0, as: UTF8.self) }
        default: return nil
        }
    }

    /// A number that is whole and fits.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) -> Number? {
        guard let text = digits(at: index) else { return nil }
        // `1e3` and `1.0` are whole, too.
        return Number(text) ?? Double(text).flatMap { Number(exactly: $0) }
    }

    /// A number as a floating point one; nil when it is too large.
    func float<Number: LosslessStringConvertible & FloatingPoint>(_ type: Number.Type, at index: Int) -> Number? {
        guard let text = digits(at: index), let number = Number(text), number.isFinite else { return nil }
        return number
    }

    private func digits(at index: Int) -> String? {
        let node = nodes[index]
        guard node.kind == .number else { return nil }
        return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }

    /// A value with all that is in it. Of members with the same name the first one counts. The recursion is as deep as the
    /// text, which ``JSONLimits/depth`` bounds.
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

/// The escapes of JSON strings.
enum JSONEscapes {
    /// The bytes that a string's inside stands for; nil for half a surrogate pair. The grammar has been checked.
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

    /// Four hexadecimal digits.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(value) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// The value of a hexadecimal digit.
    static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
        default: nil
        }
    }
}
