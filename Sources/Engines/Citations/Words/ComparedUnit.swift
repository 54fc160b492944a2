import Language

/// What a number counts, for comparing `14 days` with `two weeks` and telling `200 ms` from `200 s`.
struct ComparedUnit: Equatable {
    var dimension: NamedUnit.Measure
    /// How many of the dimension's base unit this is.
    var factor: Double

    /// The unit that a folded word or sign names.
    static func named(_ word: String) -> ComparedUnit? { table[word] }

    private static let table: [String: ComparedUnit] = {
        var table: [String: ComparedUnit] = [:]
        for unit in NamedUnit.all {
            for name in unit.textNames {
                table[String(name)] = ComparedUnit(dimension: unit.measure, factor: unit.value)
            }
        }
        return table
    }()

    /// What a folded word multiplies the number before it by.
    static func magnitude(_ word: String) -> Double? { magnitudes[word] }

    private static let magnitudes = NumberWords.scales.mapValues(Double.init).merging([
        "millions": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "mio": 1e6, "millionen": 1e6, "milliarde": 1e9,
        "milliarden": 1e9, "mille": 1e3, "milliard": 1e9, "milliards": 1e9,
    ]) { shared, _ in shared }
}
