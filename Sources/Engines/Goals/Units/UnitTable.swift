import Language

/// The units of ``NamedUnit`` with fixed factors, by their names.
enum UnitTable {
    /// Looks up a whole name. Upper and lower case differ only in names of one letter.
    static func unit(named name: some StringProtocol) -> BaseUnit? {
        let name = String(name)
        return names[name] ?? (name.count > 1 ? names[name.lowercased()] : nil)
    }

    private static let names: [String: BaseUnit] = {
        var names: [String: BaseUnit] = [:]
        for named in NamedUnit.all {
            guard let symbol = named.symbol, let dimension = dimension(of: named.measure, symbol),
                let factor = Rational(parsing: named.factor)
            else { continue }
            let unit = BaseUnit(symbol: symbol, dimension: dimension, factor: factor)
            for name in [symbol, symbol.lowercased()] + named.amountNames.map(String.init) { names[name] = unit }
        }
        return names
    }()

    private static func dimension(of measure: NamedUnit.Measure, _ symbol: String) -> Dimension? {
        switch measure {
        case .length: Dimension(.length)
        case .mass: Dimension(.mass)
        case .time: Dimension(.time)
        case .volume: Dimension(.length, 3)
        case .energy: Dimension(.length, 2).multiplied(by: Dimension(.mass))?.multiplied(by: Dimension(.time, -2))
        case .euro, .pound, .dollar, .franc, .cent, .crown, .guilder: Dimension(.money(symbol))
        case .things: Dimension(.counted(symbol))
        case .percent: Dimension.none
        case .data, .clock, .temperature: nil
        }
    }
}
