/// An exact fraction in lowest terms, with a positive denominator.
///
/// Results that need more than 128 bits are nil instead of rounded, so a conversion is exact or refused.
package struct Rational: Hashable, Sendable {
    /// 0.
    package static let zero = Rational(0)
    /// 1.
    package static let one = Rational(1)

    /// Above the line; has the sign.
    package let numerator: Int128
    /// Below the line, at least 1.
    package let denominator: Int128

    /// Creates a whole number.
    package init(_ integer: Int) {
        numerator = Int128(integer)
        denominator = 1
    }

    /// Creates a fraction in lowest terms; nil for a denominator of 0 and for the least 128-bit integer.
    package init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator != 0, numerator != .min, denominator != .min else { return nil }
        let divisor = Int128(Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude))
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.numerator = numerator / divisor * sign
        self.denominator = denominator / divisor * sign
    }

    /// The sum; nil on overflow.
    package func adding(_ other: Rational) -> Rational? {
        if denominator == other.denominator {
            let (sum, overflow) = numerator.addingReportingOverflow(other.numerator)
            return overflow ? nil : Rational(sum, over: denominator)
        }
        let shared = Int128(Self.greatestCommonDivisor(denominator.magnitude, other.denominator.magnitude))
        let (left, leftOverflow) = numerator.multipliedReportingOverflow(by: other.denominator / shared)
        let (right, rightOverflow) = other.numerator.multipliedReportingOverflow(by: denominator / shared)
        let (sum, sumOverflow) = left.addingReportingOverflow(right)
        let (below, belowOverflow) = denominator.multipliedReportingOverflow(by: other.denominator / shared)
        guard !leftOverflow, !rightOverflow, !sumOverflow, !belowOverflow else { return nil }
        return Rational(sum, over: below)
    }

    /// The difference; nil on overflow.
    package func subtracting(_ other: Rational) -> Rational? { adding(other.negated) }

    /// The product; nil on overflow.
    package func multiplied(by other: Rational) -> Rational? {
        // Cancelled crosswise first, so that the products are already in lowest terms.
        guard let first = Rational(numerator, over: other.denominator),
            let second = Rational(other.numerator, over: denominator)
        else { return nil }
        let (above, aboveOverflow) = first.numerator.multipliedReportingOverflow(by: second.numerator)
        let (below, belowOverflow) = first.denominator.multipliedReportingOverflow(by: second.denominator)
        return aboveOverflow || belowOverflow ? nil : Rational(above, over: below)
    }

    /// The quotient; nil for a divisor of 0 and on overflow.
    package func divided(by other: Rational) -> Rational? {
        Rational(other.denominator, over: other.numerator).flatMap { multiplied(by: $0) }
    }

    /// A whole power; nil on overflow and for a negative power of 0.
    func power(_ exponent: Int) -> Rational? {
        var result: Rational? = .one
        for _ in 0..<abs(exponent) { result = result?.multiplied(by: self) }
        return exponent < 0 ? result.flatMap { Rational.one.divided(by: $0) } : result
    }

    /// The number with the other sign. Numerators are never the least integer, so this does not overflow.
    package var negated: Rational { Rational(-numerator, over: denominator) ?? .zero }

    /// The least integer that is not below the number; nil if it needs more than 64 bits.
    package var roundedUp: Int? {
        let quotient = numerator / denominator
        return Int(exactly: numerator > 0 && numerator % denominator != 0 ? quotient + 1 : quotient)
    }

    /// Euclid's algorithm; in 64 bits where both values fit, which is many times faster.
    private static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 {
            if let small = UInt64(exactly: a), let other = UInt64(exactly: b) {
                var (c, d) = (small, other)
                while d != 0 { (c, d) = (d, c % d) }
                return UInt128(c)
            }
            (a, b) = (b, a % b)
        }
        return a
    }
}

extension Rational: Comparable {
    /// Compares exactly, in 256 bits.
    package static func < (a: Rational, b: Rational) -> Bool {
        let left = a.numerator.multipliedFullWidth(by: b.denominator)
        let right = b.numerator.multipliedFullWidth(by: a.denominator)
        return left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
