extension Rational {
    /// The decimal number that a double prints as: 0.1 becomes exactly 1/10.
    ///
    /// This is the shortest decimal that reads back as the same double, so ``doubleValue`` returns it to the last bit.
    /// Nil for infinity, NaN, and numbers that need more than 128 bits (about 1e±38).
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.init(parsing: "\(value)")
    }

    /// The nearest double; ties go to the even one.
    package var doubleValue: Double {
        let sign: FloatingPointSign = numerator < 0 ? .minus : .plus
        let above = numerator.magnitude
        let below = denominator.magnitude
        guard above != 0 else { return 0 }
        // A quotient of 56 or 57 bits, and a last bit that says whether anything follows: enough to round once.
        let shift = 56 - (below.leadingZeroBitCount - above.leadingZeroBitCount)
        let result: (quotient: UInt128, remainder: UInt128)
        if shift >= 0 {
            let high = shift >= 128 ? above << UInt128(shift - 128) : above >> UInt128(128 - shift)
            let low = shift >= 128 ? 0 : above << UInt128(shift)
            guard high < below else { return .infinity }
            result = below.dividingFullWidth((high, low))
        } else {
            result = above.quotientAndRemainder(dividingBy: below << UInt128(-shift))
        }
        let bits = result.quotient << 1 | (result.remainder == 0 ? 0 : 1)
        return Double(sign: sign, exponent: -shift - 1, significand: Double(UInt64(truncatingIfNeeded: bits)))
    }
}
