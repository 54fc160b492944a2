extension Unit: CustomStringConvertible {
    /// Bytes of a unit's text at most.
    package static let maxBytes = 128

    /// Reads a unit such as `km`, `Minuten`, `km/h`, `min per km`, `kg·m^2/s^2` or `m²`.
    ///
    /// Factors are joined by `·` or `*`; `/`, `per` and `pro` stand before each divisor. `1` is a plain number. With
    /// `custom`, a word that is in no table is a counted thing of its own; otherwise the result is nil.
    package init?(parsing text: some StringProtocol, custom: Bool = false) {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        var factors: [Factor] = []
        var sign = 1
        var expectsFactor = true
        for word in Self.words(of: text) {
            switch word.lowercased() {
            case "/", "per", "pro":
                guard !expectsFactor else { return nil }
                (sign, expectsFactor) = (-1, true)
            case "·", "*":
                guard !expectsFactor else { return nil }
                expectsFactor = true
            default:
                guard expectsFactor, factors.count < Self.maxFactors else { return nil }
                expectsFactor = false
                if word != "1" {
                    guard let factor = Self.factor(word, sign: sign, custom: custom) else { return nil }
                    factors.append(factor)
                }
                sign = 1
            }
        }
        guard !expectsFactor else { return nil }
        self.init(factors)
    }

    /// Words and the marks `/`, `·` and `*`.
    private static func words(of text: some StringProtocol) -> [Substring] {
        String(text).split(whereSeparator: \.isWhitespace).flatMap { part in
            var words: [Substring] = []
            var rest = part
            while let mark = rest.firstIndex(where: { "/·*".contains($0) }) {
                if mark > rest.startIndex { words.append(rest[..<mark]) }
                words.append(rest[mark...mark])
                rest = rest[rest.index(after: mark)...]
            }
            if !rest.isEmpty { words.append(rest) }
            return words
        }
    }

    /// A name with an optional power: `m²`, `m^2`, `s^-1`.
    private static func factor(_ word: Substring, sign: Int, custom: Bool) -> Factor? {
        var name = word
        var exponent = 1
        if let mark = word.firstIndex(of: "^") {
            name = word[..<mark]
            guard let power = Int(word[word.index(after: mark)...]), (-9...9).contains(power), power != 0 else {
                return nil
            }
            exponent = power
        } else if let last = word.last, last == "²" || last == "³" {
            name = word.dropLast()
            exponent = last == "²" ? 2 : 3
        }
        guard let unit = UnitTable.unit(named: name) ?? (custom ? BaseUnit.custom(name) : nil) else { return nil }
        return Factor(unit: unit, exponent: sign * exponent)
    }

    /// The symbol, which reads back as the same unit: `km/h`, `kg·m²/s²`, `1/s`; `1` for a plain number.
    package var description: String {
        func text(_ factor: Factor, _ exponent: Int) -> String {
            let power = [1: "", 2: "²", 3: "³"][exponent] ?? "^\(exponent)"
            return factor.unit.symbol + power
        }
        let above = factors.filter { $0.exponent > 0 }.map { text($0, $0.exponent) }.joined(separator: "·")
        let below = factors.filter { $0.exponent < 0 }.map { "/" + text($0, -$0.exponent) }.joined()
        return (above.isEmpty ? "1" : above) + below
    }
}
