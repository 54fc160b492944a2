/// A unit: a product of powers of base units, such as `km`, `km/h` or `kg·m²/s²`.
///
/// Units fit each other if their dimensions are the same; conversion multiplies by an exact fraction. Names are compared
/// whole: `m` is neither `km` nor `min`.
package struct Unit: Hashable, Sendable {
    /// A base unit and its power.
    package struct Factor: Hashable, Sendable {
        package let unit: BaseUnit
        /// -9 to 9, not 0.
        package let exponent: Int
    }

    /// Base units in one unit at most.
    package static let maxFactors = 8

    /// The base units, each once: those above the line, then those below it, each in the order of a product's factors.
    package let factors: [Factor]
    /// What it measures.
    package let dimension: Dimension
    /// How many of the dimension's canonical unit it is.
    package let factor: Rational

    /// The product of powers; nil for more than 8 base units, exponents beyond ±9 and factors beyond 128 bits.
    init?(_ factors: [Factor]) {
        var merged: [Factor] = []
        for factor in factors {
            let index = merged.firstIndex { $0.unit == factor.unit } ?? merged.count
            let before = index < merged.count ? merged[index].exponent : 0
            let (sum, overflow) = before.addingReportingOverflow(factor.exponent)
            guard !overflow, (-9...9).contains(sum) else { return nil }
            if index < merged.count { merged.remove(at: index) }
            if sum != 0 { merged.insert(Factor(unit: factor.unit, exponent: sum), at: min(index, merged.count)) }
            guard merged.count <= Self.maxFactors else { return nil }
        }
        // The order of the text that the unit is written as.
        merged = merged.filter { $0.exponent > 0 } + merged.filter { $0.exponent < 0 }
        var dimension = Dimension.none
        var product = Rational.one
        for factor in merged {
            guard let next = dimension.multiplied(by: factor.unit.dimension, power: factor.exponent),
                let scaled = factor.unit.factor.power(factor.exponent).flatMap({ product.multiplied(by: $0) })
            else { return nil }
            (dimension, product) = (next, scaled)
        }
        self.factors = merged
        self.dimension = dimension
        self.factor = product
    }

    /// Whether amounts of one convert to the other.
    package func fits(_ other: Unit) -> Bool { dimension == other.dimension }

    /// The product; nil beyond the limits of ``init(_:)``.
    package func multiplied(by other: Unit) -> Unit? { Unit(factors + other.factors) }

    /// The quotient; nil beyond the limits of ``init(_:)``.
    package func divided(by other: Unit) -> Unit? {
        Unit(factors + other.factors.map { Factor(unit: $0.unit, exponent: -$0.exponent) })
    }

    /// The unit with factor 1 of the same dimension: powers of `m`, `kg`, `s`, currencies and things.
    package var canonical: Unit {
        let factors = dimension.powers.map { power in
            let (symbol, base) =
                switch power.base {
                case .length: ("m", Dimension(.length))
                case .mass: ("kg", Dimension(.mass))
                case .time: ("s", Dimension(.time))
                case .money(let name): (name, Dimension(.money(name)))
                case .counted(let name): (name, Dimension(.counted(name)))
                }
            return Factor(unit: BaseUnit(symbol: symbol, dimension: base, factor: .one), exponent: power.exponent)
        }
        return Unit(factors) ?? self
    }
}
