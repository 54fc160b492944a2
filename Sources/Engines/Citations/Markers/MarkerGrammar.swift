/// What may stand between the brackets of a citation.
package enum MarkerGrammar {
    /// Numbers in one marker at most; text with more is no marker.
    package static let maxNumbers = 20
    /// UTF-8 bytes of a marker at most, brackets included.
    package static let maxBytes = 64
    /// Decimal digits of a number at most: `[2024]` is a year.
    package static let maxDigits = 3

    /// The bracket that closes what a bracket opens; nil for other characters.
    static func closing(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "[": "]"
        case "【": "】"
        case "［": "］"
        default: nil
        }
    }

    /// Whether a character may stand before the dagger of a marker, or be the dagger.
    static func mayContain(_ scalar: Unicode.Scalar) -> Bool {
        digit(scalar) != nil || scalar == " " || scalar == "^" || scalar == dagger || isComma(scalar) || isDash(scalar)
    }

    /// Introduces the name of a source: `【1†source】`.
    static let dagger: Unicode.Scalar = "†"

    /// The numbers of a marker's inner text; nil when the text is no citation.
    ///
    /// Grammar: parts between commas, each a number or a range of two numbers; then, optionally, a dagger and a name.
    static func numbers(_ inner: some Sequence<Unicode.Scalar>) -> [Int]? {
        var found: [Int] = []
        var part = Part()
        for scalar in inner {
            if scalar == dagger { break }
            if isComma(scalar) {
                guard part.append(to: &found) else { return nil }
                part = Part()
            } else if !part.read(scalar) {
                return nil
            }
        }
        return part.append(to: &found) ? found : nil
    }

    /// The value of an ASCII or full-width digit.
    static func digit(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        case 0x30...0x39: Int(scalar.value - 0x30)
        case 0xFF10...0xFF19: Int(scalar.value - 0xFF10)
        default: nil
        }
    }

    private static func isComma(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "," || scalar == "，" || scalar == "、" || scalar == ";"
    }

    private static func isDash(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "–" || scalar == "—" || scalar == "－"
    }

    /// A number or a range while it is read.
    private struct Part {
        private var first: Int?
        private var last: Int?
        private var digits = 0
        private var hasDash = false
        /// Whether white space stands after the digits that were read last.
        private var isClosed = false

        /// Takes the next character; false when it cannot follow.
        mutating func read(_ scalar: Unicode.Scalar) -> Bool {
            if let digit = MarkerGrammar.digit(scalar) {
                guard !isClosed, digits < maxDigits else { return false }
                digits += 1
                if hasDash { last = (last ?? 0) * 10 + digit } else { first = (first ?? 0) * 10 + digit }
                return true
            }
            if scalar == " " {
                isClosed = digits > 0
                return true
            }
            if scalar == "^" { return digits == 0 && !hasDash }
            guard MarkerGrammar.isDash(scalar), first != nil, !hasDash else { return false }
            hasDash = true
            isClosed = false
            digits = 0
            return true
        }

        /// Adds the numbers to a list; false when the part is incomplete, falls, or makes the list too long.
        func append(to numbers: inout [Int]) -> Bool {
            guard let first else { return false }
            guard let last = hasDash ? last : first, first <= last, last - first < maxNumbers else { return false }
            for number in first...last where !numbers.contains(number) { numbers.append(number) }
            return numbers.count <= maxNumbers
        }
    }
}
