/// The id of a trace: 16 bytes, never all zero.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    /// The half that a sampler looks at.
    let low: UInt64

    /// - Returns: nil for zeros.
    init?(high: UInt64, low: UInt64) {
        guard high != 0 || low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// Creates an id from random numbers.
    static func random(by generator: inout some RandomNumberGenerator) -> TraceID {
        while true {
            if let id = TraceID(high: generator.next(), low: generator.next()) { return id }
        }
    }

    /// 32 hexadecimal digits.
    package var description: String { Hex.text(high) + Hex.text(low) }
}

/// The id of a span: 8 bytes, never all zero.
package struct SpanID: Sendable, Hashable, CustomStringConvertible {
    let bits: UInt64

    /// - Returns: nil for zeros.
    init?(_ bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    /// Creates an id from random numbers.
    static func random(by generator: inout some RandomNumberGenerator) -> SpanID {
        while true {
            if let id = SpanID(generator.next()) { return id }
        }
    }

    /// 16 hexadecimal digits.
    package var description: String { Hex.text(bits) }
}

/// Hexadecimal digits in lower case, which are all that W3C's Trace Context knows.
enum Hex {
    /// The 16 digits of a number.
    static func text(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The number of at most 16 digits; nil for other text.
    static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard (1...16).contains(digits.count) else { return nil }
        var bits: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): bits = bits << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): bits = bits << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return bits
    }
}
