/// What a unit measures, as powers of base dimensions: a speed is length¹ time⁻¹.
package struct Dimension: Hashable, Sendable {
    /// A dimension that no other ones make up.
    package enum Base: Hashable, Comparable, Sendable {
        /// In metres.
        case length
        /// In kilograms.
        case mass
        /// In seconds.
        case time
        /// In a currency; amounts of two currencies do not convert.
        case money(String)
        /// In things of one kind: pages are no steps.
        case counted(String)
    }

    /// A base dimension and its power.
    package struct Power: Hashable, Sendable {
        /// The base dimension.
        package let base: Base
        /// -27 to 27, not 0.
        package let exponent: Int
    }

    /// Plain numbers, such as a percentage.
    package static let none = Dimension(powers: [])
    /// Base dimensions in one dimension at most.
    static let maxPowers = 8

    /// In the order of their bases.
    package let powers: [Power]

    private init(powers: [Power]) { self.powers = powers }

    /// A power of one base dimension.
    init(_ base: Base, _ exponent: Int = 1) {
        powers = exponent == 0 ? [] : [Power(base: base, exponent: min(max(exponent, -27), 27))]
    }

    /// The dimension of a product with a power of another; nil beyond 8 bases or exponents of ±27.
    func multiplied(by other: Dimension, power: Int = 1) -> Dimension? {
        var exponents: [Base: Int] = [:]
        for power in powers { exponents[power.base] = power.exponent }
        for own in other.powers {
            let (product, overflow) = own.exponent.multipliedReportingOverflow(by: power)
            guard !overflow, (-1000...1000).contains(product) else { return nil }
            exponents[own.base, default: 0] += product
        }
        let powers = exponents.filter { $0.value != 0 }.map { Power(base: $0.key, exponent: $0.value) }
        guard powers.count <= Self.maxPowers, powers.allSatisfy({ (-27...27).contains($0.exponent) }) else {
            return nil
        }
        return Dimension(powers: powers.sorted { $0.base < $1.base })
    }
}
