import Language
import Testing

/// The one table of units.
@Suite struct UnitsByName {
    private func unit(_ name: String, _ names: KeyPath<NamedUnit, [Substring]>) -> NamedUnit? {
        let found = NamedUnit.all.filter { $0[keyPath: names].contains { $0 == name } }
        return found.count == 1 ? found[0] : nil
    }

    @Test func `a name stands for one unit`() {
        for names in [\NamedUnit.amountNames, \NamedUnit.textNames] {
            for name in NamedUnit.all.flatMap({ $0[keyPath: names] }) {
                #expect(unit(String(name), names) != nil, "\(name)")
            }
        }
    }

    @Test func `every line of the table is read`() {
        #expect(Set(NamedUnit.all.map(\.measure)).count == 17 && NamedUnit.all.count == 81)
    }

    @Test func `symbols are written once`() {
        let symbols = NamedUnit.all.compactMap(\.symbol)
        #expect(Set(symbols).count == symbols.count && symbols.count > 60)
    }

    @Test(arguments: [("mm", 0.001), ("km", 1000), ("kg", 1), ("weeks", 604_800), ("ml", 0.000_001), ("gib", 1e9)])
    func `a factor is exact`(name: String, value: Double) {
        #expect(unit(name, \.textNames)?.value == value)
    }

    @Test func `a pound is a mass behind an amount, and money in a text`() {
        #expect(unit("pound", \.amountNames)?.measure == .mass && unit("pound", \.textNames)?.measure == .pound)
        #expect(unit("month", \.amountNames) == nil && unit("month", \.textNames)?.measure == .time)
    }
}
