/// Reads what was done.
enum ActivityReader {
    private static let negations: Set<String> = [
        "no", "not", "without", "skipped", "kein", "keine", "keinen", "nicht", "ohne",
    ]

    /// The activity's key: of the words with the highest rank the first one. Marks all of its words and vague ones as used,
    /// except those that may be the unit of a number.
    static func read(_ utterance: inout Utterance) -> String? {
        var best: ActivityLexicon.Entry?
        var places: [(index: Int, entry: ActivityLexicon.Entry)] = []
        for index in utterance.indices {
            guard let entry = entry(utterance, at: index), !negations.contains(utterance.word(index - 1)) else {
                continue
            }
            places.append((index, entry))
            if best.map({ entry.rank > $0.rank }) ?? true { best = entry }
        }
        for (index, entry) in places where entry.key == best?.key || entry.rank == .vague {
            if MeasureReader.unit(utterance, at: index) == nil { utterance.use(index..<(index + 1)) }
        }
        return best?.key
    }

    private static func entry(_ utterance: Utterance, at index: Int) -> ActivityLexicon.Entry? {
        let word = utterance.word(index)
        guard !word.isEmpty else { return nil }
        return ActivityLexicon.entry(of: word)
    }

    /// The activity that the amounts suggest.
    static func implied(by measures: [Quantity]) -> String? {
        measures.lazy.compactMap { ActivityLexicon.key(impliedBy: $0.unit.description) }.first
    }
}
