extension Sentence {
    /// UTF-8 bytes behind the first word of the next sentence that settle where a sentence ends: a marker, or the words that
    /// tell an abbreviation, are shorter.
    private static let lookahead = MarkerGrammar.maxBytes + 16

    /// How many of the first sentences stay the same whatever is written behind the text.
    ///
    /// A sentence is complete when the first word of the next one stands well before the end. A line with a backtick is
    /// left until it ends: what is inline code shows there.
    ///
    /// - Parameter sentences: The sentences of the text.
    static func completeCount(of sentences: [Sentence], in text: ScalarText) -> Int {
        let line = text.scalars.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let limit = text.scalars[line...].contains("`") ? text.offsets[line] : .max
        let known = (text.offsets.last ?? 0) - lookahead
        let last = sentences.lastIndex { sentence in
            sentence.range.lowerBound < limit && sentence.firstWord(in: text).map { $0 <= known } ?? false
        }
        return last ?? 0
    }

    /// The offset of the first letter or digit outside markers.
    private func firstWord(in text: ScalarText) -> Int? {
        // The first character at the sentence's start or behind it.
        var (low, high) = (0, text.scalars.count)
        while low < high {
            let middle = (low + high) / 2
            if text.offsets[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        while let scalar = text[low], text.offsets[low] < range.upperBound {
            let offset = text.offsets[low]
            if let marker = markers.first(where: { $0.range.contains(offset) }) {
                while low < text.scalars.count, text.offsets[low] < marker.range.upperBound { low += 1 }
            } else if scalar.isLetter || scalar.isNumeric {
                return offset
            } else {
                low += 1
            }
        }
        return nil
    }
}
