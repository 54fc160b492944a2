import Text

/// Words for comparison: folded, without punctuation.
enum ComparisonWords {
    /// Words of one text at most.
    static let maxWords = 400

    /// The words of a text in order, each a run of letters, digits and inner hyphens.
    static func split(_ text: String) -> [String] {
        let folded = TextFolding.folded(text)
        let parts = folded.split(maxSplits: maxWords) { !($0.isLetter || $0.isNumber || $0 == "-") }
        return parts.prefix(maxWords).map { part in
            var part = part
            while part.first == "-" { part.removeFirst() }
            while part.last == "-" { part.removeLast() }
            return String(part)
        }.filter { !$0.isEmpty }
    }

    /// The words, with each form of an activity ("ran", "gelaufen") replaced by the activity's key.
    static func canonical(_ text: String) -> [String] {
        split(text).map { ActivityLexicon.entry(of: $0)?.key ?? $0 }
    }
}
