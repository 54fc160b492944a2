import Language

/// Numbers for meanings, so that comparing words is comparing integers.
struct MeaningVocabulary {
    private var ids: [String: Int] = [:]
    private(set) var names: [String] = []
    /// For each meaning: the set of meanings that exclude each other it belongs to.
    private(set) var groups: [Int?] = []

    /// By language: words whose meaning is known.
    private var words: [WrittenLanguage: [String: Int]] = [:]

    /// The number of what a folded word means.
    mutating func id(ofWord word: String, _ language: WrittenLanguage) -> Int {
        if let id = words[language]?[word] { return id }
        let id = id(Lexicon.shared.meaning(of: word, language))
        words[language, default: [:]][word] = id
        return id
    }

    /// The number of a meaning.
    mutating func id(_ meaning: String) -> Int {
        if let id = ids[meaning] { return id }
        let id = names.count
        ids[meaning] = id
        names.append(meaning)
        groups.append(Lexicon.shared.group(of: meaning))
        return id
    }

    /// The set of meanings that exclude each other, of which this is one.
    func group(_ id: Int) -> Int? { groups.indices.contains(id) ? groups[id] : nil }

    /// Whether two meanings are forms of one word. Either at least five bytes begin both, and two thirds of the longer one;
    /// or one begins the other, which is at most five bytes longer: `measure`, `measurement`; or one ends with the other,
    /// as compounds do.
    func areForms(_ left: Int, _ right: Int) -> Bool {
        guard names.indices.contains(left), names.indices.contains(right) else { return false }
        let (one, other) = (names[left].utf8, names[right].utf8)
        guard one.first != UInt8(ascii: "="), other.first != UInt8(ascii: "=") else { return false }
        let longer = max(one.count, other.count)
        var common = 0
        for (a, b) in zip(one, other) {
            guard a == b else { break }
            common += 1
        }
        if common >= 5, common * 3 >= longer * 2 || common + 5 >= longer && common == min(one.count, other.count) {
            return true
        }
        let (short, long) = one.count < other.count ? (one, other) : (other, one)
        return short.count >= 5 && short.count * 2 >= long.count && long.suffix(short.count).elementsEqual(short)
    }
}
