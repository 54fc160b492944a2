/// A unit with a name of its own, such as the mile: what compound units are made of.
package struct BaseUnit: Hashable, Sendable {
    /// The name that is printed, such as `mi`.
    package let symbol: String
    /// What it measures.
    package let dimension: Dimension
    /// How many of the dimension's canonical unit (metre, kilogram, second, one thing) it is.
    package let factor: Rational

    /// A counted thing whose name is in no table: the lower-case word, a dimension of its own.
    ///
    /// Nil unless the word has 1 to 32 letters, hyphens or inner digits and starts with a letter. Nil also for a word that a
    /// table has in lower case, such as `S`, and for `per` and `pro`: they would read back as something else.
    static func custom(_ word: some StringProtocol) -> BaseUnit? {
        let symbol = word.lowercased()
        guard (1...32).contains(symbol.count), symbol.first?.isLetter == true,
            symbol.allSatisfy({ $0.isLetter || $0 == "-" || $0 == "_" || ("0"..."9").contains($0) }),
            UnitTable.unit(named: symbol) == nil, symbol != "per", symbol != "pro"
        else { return nil }
        return BaseUnit(symbol: symbol, dimension: Dimension(.counted(symbol)), factor: .one)
    }
}
