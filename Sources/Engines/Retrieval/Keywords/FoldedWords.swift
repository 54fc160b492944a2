import Text

/// Words as the keyword leg cuts them, for callers that compare whole words.
package enum FoldedWords {
    /// The distinct words of a text, folded, in their order. Scripts that are written without spaces give overlapping
    /// pairs of characters.
    package static func of(_ text: String) -> [String] {
        let folded = TextFolding.fold(text)
        var seen: Set<String> = []
        var words: [String] = []
        for run in WordBytes.runs(in: folded).map({ folded[$0] }) {
            let bytes = Array(run)
            for range in WordSplitter.words(in: bytes) {
                let word = String(decoding: bytes[range], as: UTF8.self)
                if seen.insert(word).inserted { words.append(word) }
            }
        }
        return words
    }
}
