import Language

/// Reads words that name a goal: `#music`, `for my novel goal`, `für mein Ziel Roman`, `für das Marathon-Ziel`.
enum GoalHintReader {
    /// The first hint, in lower case; marks its words as used.
    static func read(_ utterance: inout Utterance) -> String? {
        for index in utterance.indices {
            if let found = hint(utterance, at: index) {
                utterance.use(index..<found.end)
                return found.words.joined(separator: " ")
            }
        }
        return nil
    }

    private static func hint(_ utterance: Utterance, at index: Int) -> (words: [String], end: Int)? {
        if utterance.word(index) == "#", let tag = utterance.token(index + 1), tag.isAttached, tag.kind == .word {
            return ([tag.folded], index + 2)
        }
        guard ["for", "toward", "towards", "für"].contains(utterance.word(index)),
            ["the", "my", "our", "das", "mein", "unser"].contains(utterance.word(index + 1))
        else { return nil }
        let first = index + 2
        if utterance.word(first) == "ziel", let name = utterance.token(first + 1), name.kind == .word {
            return ([name.folded], first + 2)
        }
        if utterance.word(first).hasSuffix("-ziel") { return ([String(utterance.word(first).dropLast(5))], first + 1) }
        for end in (first + 1)..<(first + 4) where ["goal", "ziel"].contains(utterance.word(end)) {
            return ((first..<end).map(utterance.word), end + 1)
        }
        return nil
    }
}
