import Language

/// The words of a sentence as rules see them: in lower case, with contractions as two words that share a place.
enum SentenceWords {
    private static let contractions: [String: [String]] = [
        "i'm": ["i", "am"], "i've": ["i", "have"], "i'd": ["i", "would"], "i'll": ["i", "will"],
        "we're": ["we", "are"], "we've": ["we", "have"], "we'd": ["we", "would"], "we'll": ["we", "will"],
        "don't": ["do", "not"], "doesn't": ["does", "not"], "didn't": ["did", "not"], "can't": ["can", "not"],
        "cannot": ["can", "not"], "couldn't": ["could", "not"], "wouldn't": ["would", "not"],
        "won't": ["will", "not"], "isn't": ["is", "not"], "aren't": ["are", "not"], "wasn't": ["was", "not"],
        "haven't": ["have", "not"], "hasn't": ["has", "not"], "anymore": ["any", "more"], "hab": ["habe"],
        "hab's": ["habe", "es"], "wohn": ["wohne"], "arbeit": ["arbeite"], "heisse": ["heiße"], "heisst": ["heißt"],
        "nich": ["nicht"],
    ]

    /// The words of a sentence that stand in no quotation.
    static func words(of text: Substring) -> [TextWord] {
        let quoted = quotations(in: text)
        var words: [TextWord] = []
        var skipped = false
        for word in TextWord.words(of: text, limit: 200) {
            guard !quoted.contains(where: { $0.overlaps(word.range) }) else {
                skipped = true
                continue
            }
            var parts = contractions[word.text] ?? [word.text]
            if parts.count == 1, word.text.hasSuffix("'s") { parts = [String(word.text.dropLast(2)), "'s"] }
            for (index, part) in parts.enumerated() {
                var word = word
                word.text = part
                word.followsMark = index == 0 && (word.followsMark || skipped)
                word.isCapital = index == 0 && word.isCapital
                words.append(word)
            }
            skipped = false
        }
        return words
    }

    /// The parts of a text between quotation marks; to the end of the text behind one that is not closed.
    private static func quotations(in text: Substring) -> [Range<String.Index>] {
        var found: [Range<String.Index>] = []
        var start: String.Index?
        for index in text.indices {
            switch text[index] {
            case "\"":
                if let open = start {
                    found.append(open..<index)
                    start = nil
                } else {
                    start = index
                }
            case "“" where start != nil, "”", "»":
                if let open = start { found.append(open..<index) }
                start = nil
            case "“", "„", "«": start = start ?? index
            default: break
            }
        }
        if let start { found.append(start..<text.endIndex) }
        return found
    }
}
