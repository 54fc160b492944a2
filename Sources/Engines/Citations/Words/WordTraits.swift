/// The lists of ``FunctionWords`` and ``SpecialWords`` that a word stands in: one look-up for all of them.
struct WordTraits: OptionSet {
    let rawValue: UInt32

    static let stop = WordTraits(rawValue: 1)
    static let negation = WordTraits(rawValue: 2)
    static let softNegation = WordTraits(rawValue: 4)
    static let conjunction = WordTraits(rawValue: 8)
    static let sweeping = WordTraits(rawValue: 16)
    static let sweepingHint = WordTraits(rawValue: 32)
    static let causal = WordTraits(rawValue: 64)
    static let causalHint = WordTraits(rawValue: 128)
    static let beforeNoun = WordTraits(rawValue: 256)
    static let copula = WordTraits(rawValue: 512)
    static let comparative = WordTraits(rawValue: 1024)
    static let limit = WordTraits(rawValue: 2048)
    static let exclusive = WordTraits(rawValue: 4096)
    static let exclusiveHint = WordTraits(rawValue: 8192)
    static let exception = WordTraits(rawValue: 16384)
    static let preposition = WordTraits(rawValue: 32768)
    static let condition = WordTraits(rawValue: 65536)
    static let hedge = WordTraits(rawValue: 131_072)
    static let hedgeHint = WordTraits(rawValue: 262_144)

    /// The traits of a folded word.
    init(of word: String) { self = Self.table[word] ?? [] }

    init(rawValue: UInt32) { self.rawValue = rawValue }

    private static let table: [String: WordTraits] = {
        var table: [String: WordTraits] = [:]
        let lists: [(Set<String>, WordTraits)] = [
            (FunctionWords.stopWords, .stop), (FunctionWords.negations, .negation),
            (FunctionWords.softNegations, .softNegation),
            (FunctionWords.conjunctions, .conjunction), (SpecialWords.sweeping, .sweeping),
            (SpecialWords.sweepingHints, .sweepingHint), (SpecialWords.causal, .causal),
            (SpecialWords.causalHints, .causalHint), (SpecialWords.beforeNouns, .beforeNoun),
            (SpecialWords.copulas, .copula), (SpecialWords.comparatives, .comparative), (SpecialWords.limits, .limit),
            (ScopeWords.exclusive, .exclusive), (ScopeWords.exclusiveHints, .exclusiveHint),
            (ScopeWords.exceptions, .exception), (ScopeWords.prepositions, .preposition),
            (ScopeWords.conditions, .condition), (ScopeWords.hedges, .hedge), (ScopeWords.hedgeHints, .hedgeHint),
        ]
        for (words, trait) in lists {
            for word in words { table[word, default: []].insert(trait) }
        }
        return table
    }()
}
