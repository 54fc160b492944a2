/// Reads JSON as strictly as Go does, and fails with Go's messages.
package struct JSONParser {
    /// An error with Go's message.
    package struct Failure: Error { package let message: String }

    private static let depthLimit = 200
    private let bytes: [UInt8]
    private var place = 0

    /// Parses bytes that must hold exactly one value.
    package static func parse(_ bytes: some Sequence<UInt8>) throws(Failure) -> JSON {
        var parser = JSONParser(bytes: Array(bytes))
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.place == parser.bytes.count else { throw parser.unexpected("after top-level value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func unexpected(_ context: String) -> Failure {
        guard place < bytes.count else { return Failure(message: "unexpected EOF") }
        let character = Character(UnicodeScalar(bytes[place]))
        return Failure(message: "invalid character '\(character)' \(context)")
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.depthLimit else { throw Failure(message: "exceeded max depth") }
        skipSpace()
        guard place < bytes.count else { throw Failure(message: "unexpected EOF") }
        switch bytes[place] {
        case 0x7B: return try object(depth: depth)
        case 0x5B: return try array(depth: depth)
        case 0x22: return .string(try string())
        case 0x74: return try word("true", .bool(true))
        case 0x66: return try word("false", .bool(false))
        case 0x6E: return try word("null", .null)
        case 0x2D, 0x30...0x39: return try number()
        default: throw unexpected("looking for beginning of value")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(Failure) -> JSON {
        for byte in word.description.utf8 {
            guard take(byte) else { throw unexpected("in literal \(word)") }
        }
        return value
    }

    private mutating func number() throws(Failure) -> JSON {
        let start = place
        while place < bytes.count, [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(bytes[place]) || isDigit(place) {
            place += 1
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        let hasLeadingZero = digits.count > 1 && digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
        guard Double(text) != nil, !hasLeadingZero, text.last != "." else {
            throw Failure(message: "invalid character in numeric literal")
        }
        return .number(text)
    }

    private func isDigit(_ index: Int) -> Bool { (0x30...0x39).contains(bytes[index]) }

    private mutating func array(depth: Int) throws(Failure) -> JSON {
        place += 1
        var elements: [JSON] = []
        skipSpace()
        if take(0x5D) { return .array([]) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take(0x5D) { return .array(elements) }
            guard take(0x2C) else { throw unexpected("after array element") }
        }
    }

    private mutating func object(depth: Int) throws(Failure) -> JSON {
        place += 1
        var members: [JSON.Member] = []
        skipSpace()
        if take(0x7D) { return .object([]) }
        while true {
            skipSpace()
            guard place < bytes.count, bytes[place] == 0x22 else {
                throw unexpected("looking for beginning of object key string")
            }
            let key = try string()
            skipSpace()
            guard take(0x3A) else { throw unexpected("after object key") }
            members.append(.init(key: key, value: try value(depth: depth + 1)))
            skipSpace()
            if take(0x7D) { return .object(members) }
            guard take(0x2C) else { throw unexpected("after object key:value pair") }
        }
    }

    private mutating func string() throws(Failure) -> String {
        place += 1
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            if byte == 0x22 {
                place += 1
                return String(decoding: text, as: UTF8.self)
            }
            guard byte >= 0x20 else { throw unexpected("in string literal") }
            if byte == 0x5C {
                text += try escape()
            } else {
                text.append(byte)
                place += 1
            }
        }
        throw Failure(message: "unexpected EOF")
    }

    private mutating func escape() throws(Failure) -> [UInt8] {
        place += 1
        guard place < bytes.count else { throw Failure(message: "unexpected EOF") }
        let letters: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        if let byte = letters[bytes[place]] {
            place += 1
            return [byte]
        }
        guard bytes[place] == 0x75 else { throw unexpected("in string escape code") }
        place += 1
        var units = [try unit()]
        if (0xD800..<0xDC00).contains(units[0]), place + 1 < bytes.count, bytes[place] == 0x5C, bytes[place + 1] == 0x75
        {
            let start = place
            place += 2
            let second = try unit()
            if (0xDC00..<0xE000).contains(second) { units.append(second) } else { place = start }
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private mutating func unit() throws(Failure) -> UInt16 {
        guard place + 4 <= bytes.count else { throw Failure(message: "unexpected EOF") }
        let digits = String(decoding: bytes[place..<place + 4], as: UTF8.self)
        guard let unit = UInt16(digits, radix: 16), !digits.hasPrefix("+"), !digits.hasPrefix("-") else {
            throw unexpected("in \\u hexadecimal character escape")
        }
        place += 4
        return unit
    }
}
