extension Rational: CustomStringConvertible {
    /// Characters of a number at most.
    package static let maxCharacters = 48

    /// Reads a number such as `5`, `-2.5`, `1/3`, `1e-3` or, in the other styles, `1,234.5` and `1.234,5`.
    ///
    /// Nil for other text, and for numbers that need more than 128 bits.
    package init?(parsing text: some StringProtocol, style: NumberStyle = .plain) {
        guard text.utf8.count <= Self.maxCharacters else { return nil }
        let sides = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = sides.first, let above = style.plain(first).flatMap({ Self.decimal($0) }) else { return nil }
        guard sides.count == 2 else {
            self = above
            return
        }
        guard let below = style.plain(sides[1]).flatMap({ Self.decimal($0) }), let quotient = above.divided(by: below)
        else { return nil }
        self = quotient
    }

    /// Reads an optional sign, digits with at most one point among them, and an optional exponent.
    private static func decimal(_ text: String) -> Rational? {
        var bytes = text.utf8[...]
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        var digits: Int128 = 0
        var places = 0
        var count = 0
        var hasPoint = false
        while let byte = bytes.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            bytes.removeFirst()
            if byte == UInt8(ascii: ".") {
                guard !hasPoint else { return nil }
                hasPoint = true
                continue
            }
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tenfold, overflow) = digits.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tenfold.addingReportingOverflow(Int128(byte - 0x30))
            guard !overflow, !sumOverflow else { return nil }
            digits = sum
            count += 1
            places += hasPoint ? 1 : 0
        }
        guard count > 0 else { return nil }
        var exponent = 0
        if !bytes.isEmpty {
            guard let number = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)), (-400...400).contains(number)
            else {
                return nil
            }
            exponent = number
        }
        guard digits != 0 else { return .zero }
        return Rational(10).power(exponent - places).flatMap {
            Rational(isNegative ? -digits : digits, over: 1)?.multiplied(by: $0)
        }
    }

    /// An exact decimal such as `2.5` where there is one, otherwise a fraction such as `1/3`.
    package var description: String {
        var rest = denominator
        var (twos, fives) = (0, 0)
        while rest % 2 == 0 { (rest, twos) = (rest / 2, twos + 1) }
        while rest % 5 == 0 { (rest, fives) = (rest / 5, fives + 1) }
        let places = max(twos, fives)
        guard rest == 1, let scaled = Rational(10).power(places).flatMap({ multiplied(by: $0) }) else {
            return "\(numerator)/\(denominator)"
        }
        let digits = String(scaled.numerator.magnitude)
        let sign = numerator < 0 ? "-" : ""
        guard places > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
