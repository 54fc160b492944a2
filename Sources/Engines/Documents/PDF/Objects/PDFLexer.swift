/// Cuts PDF syntax into tokens: objects, and content streams. Never fails; what is no syntax becomes a keyword.
struct PDFLexer {
    enum Token: Equatable {
        case end
        case number(Double)
        /// In ``scratch``, without the slash.
        case name(Range<Int>)
        /// In ``scratch``, decoded.
        case string(Range<Int>)
        case arrayOpen, arrayClose, dictionaryOpen, dictionaryClose
        /// The bytes in the source.
        case keyword(Range<Int>)
    }

    let bytes: [UInt8]
    var place: Int
    /// Decoded names and strings. The caller empties it when it has read them.
    var scratch: [UInt8] = []

    init(_ bytes: [UInt8], at place: Int = 0) {
        self.bytes = bytes
        self.place = place
    }

    mutating func next() -> Token {
        skipSpace()
        guard place < bytes.count else { return .end }
        let byte = bytes[place]
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return number()
        case UInt8(ascii: "/"):
            return name()
        case UInt8(ascii: "("):
            return literalString()
        case UInt8(ascii: "<"):
            guard place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "<") else { return hexString() }
            place += 2
            return .dictionaryOpen
        case UInt8(ascii: ">"):
            let isDouble = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: ">")
            place += isDouble ? 2 : 1
            return isDouble ? .dictionaryClose : next()
        case UInt8(ascii: "["):
            place += 1
            return .arrayOpen
        case UInt8(ascii: "]"):
            place += 1
            return .arrayClose
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ")"):
            place += 1
            return .keyword(place - 1..<place)
        default:
            let start = place
            while place < bytes.count, Self.isRegular(bytes[place]) { place += 1 }
            return .keyword(start..<place)
        }
    }

    mutating func skipSpace() {
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%") {
                while place < bytes.count, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
            } else if Self.isSpace(bytes[place]) {
                place += 1
            } else {
                return
            }
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0 || byte == 0x0C
    }

    static func isRegular(_ byte: UInt8) -> Bool {
        switch byte {
        case 0, 0x09, 0x0A, 0x0C, 0x0D, 0x20, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "/"), UInt8(ascii: "%"):
            false
        default: true
        }
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Signs after the first character and second points end the value, as in most readers: `1-2` is 1.
    private mutating func number() -> Token {
        let start = place
        var isNegative = false
        while place < bytes.count, bytes[place] == UInt8(ascii: "-") || bytes[place] == UInt8(ascii: "+") {
            isNegative = isNegative || bytes[place] == UInt8(ascii: "-")
            place += 1
        }
        var value = 0.0
        var scale = 0.0
        var digits = 0
        scan: while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if scale == 0 {
                    value = value * 10 + Double(bytes[place] - UInt8(ascii: "0"))
                } else if scale > 1e-12 {
                    value += scale * Double(bytes[place] - UInt8(ascii: "0"))
                    scale /= 10
                }
            case UInt8(ascii: "."):
                if scale != 0 { break scan }
                scale = 0.1
            default:
                break scan
            }
            place += 1
        }
        let isEnded = place >= bytes.count || !Self.isRegular(bytes[place])
        if digits == 0, !isEnded || place == start + 1 && scale == 0 {
            while place < bytes.count, Self.isRegular(bytes[place]) { place += 1 }
            return place - start == 1 ? .number(0) : .keyword(start..<place)
        }
        // Junk such as the second half of `1-2` or `1.2.3` belongs to the number; letters may be an operator.
        while place < bytes.count,
            bytes[place] == UInt8(ascii: "-") || bytes[place] == UInt8(ascii: ".")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place])
        { place += 1 }
        value = min(value, 1e12)
        return .number(isNegative ? -value : value)
    }

    private mutating func name() -> Token {
        place += 1
        let start = scratch.count
        while place < bytes.count, Self.isRegular(bytes[place]) {
            if bytes[place] == UInt8(ascii: "#"), place + 2 < bytes.count,
                let high = Self.hexValue(bytes[place + 1]), let low = Self.hexValue(bytes[place + 2])
            {
                scratch.append(high << 4 | low)
                place += 3
            } else {
                scratch.append(bytes[place])
                place += 1
            }
        }
        return .name(start..<scratch.count)
    }

    private mutating func hexString() -> Token {
        place += 1
        let start = scratch.count
        var high: UInt8?
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            if let digit = Self.hexValue(bytes[place]) {
                if let first = high {
                    scratch.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            }
            place += 1
        }
        if let high { scratch.append(high << 4) }
        place = min(place + 1, bytes.count)
        return .string(start..<scratch.count)
    }

    private mutating func literalString() -> Token {
        place += 1
        let start = scratch.count
        var depth = 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "("):
                depth += 1
                scratch.append(byte)
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 { return .string(start..<scratch.count) }
                scratch.append(byte)
            case UInt8(ascii: "\\"):
                escape()
            case 0x0D:
                if place < bytes.count, bytes[place] == 0x0A { place += 1 }
                scratch.append(0x0A)
            default:
                scratch.append(byte)
            }
        }
        return .string(start..<scratch.count)
    }

    private mutating func escape() {
        guard place < bytes.count else { return }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case 0x0D:
            if place < bytes.count, bytes[place] == 0x0A { place += 1 }
        case 0x0A: break
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var value = Int(byte - UInt8(ascii: "0"))
            for _ in 0..<2 {
                guard place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[place]) else { break }
                value = value * 8 + Int(bytes[place] - UInt8(ascii: "0"))
                place += 1
            }
            scratch.append(UInt8(truncatingIfNeeded: value))
        default: scratch.append(byte)
        }
    }
}
