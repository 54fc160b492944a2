/// An exact amount of a unit, such as 5 km.
package struct Quantity: Hashable, Sendable {
    /// How many.
    package let amount: Rational
    /// Of what.
    package let unit: Unit

    package init(_ amount: Rational, _ unit: Unit) {
        self.amount = amount
        self.unit = unit
    }

    /// The same quantity in another unit, exactly; nil if the units do not fit or the number needs more than 128 bits.
    package func converted(to other: Unit) -> Quantity? {
        if unit == other { return self }
        guard unit.fits(other), let ratio = unit.factor.divided(by: other.factor),
            let converted = amount.multiplied(by: ratio)
        else { return nil }
        return Quantity(converted, other)
    }
}

extension Quantity: CustomStringConvertible {
    /// Reads a number and a unit, such as `5 km`, `2.5h` or, in German, `1.500,5 m`; nil for other text.
    package init?(parsing text: some StringProtocol, style: NumberStyle = .plain, custom: Bool = false) {
        guard text.utf8.count <= Unit.maxBytes + Rational.maxCharacters else { return nil }
        let number = text.prefix { ("0"..."9").contains($0) || "+-.,/".contains($0) }
        let rest = text[number.endIndex...].drop(while: \.isWhitespace)
        guard let amount = Rational(parsing: number, style: style),
            let unit = Unit(parsing: rest, custom: custom)
        else { return nil }
        self.init(amount, unit)
    }

    /// Number and unit; reads back as the same quantity.
    package var description: String { "\(amount) \(unit)" }
}
