#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Chooses the words in which some documents differ from all others.
struct FeedbackWords {
    /// The bytes of a document that are read.
    static let mostBytes = 16 << 10
    /// The stems whose documents are counted: those that occur most often.
    static let mostStems = 64

    /// A stem that was chosen.
    struct Chosen {
        var stem: [UInt8]
        /// A word with this stem.
        var word: [UInt8]
        /// How much the documents differ in it; 1 for the first one.
        var weight: Double
        /// Its rows in each part of the index.
        var found: [TermSearch]
    }

    private struct Count {
        var word: [UInt8]
        var times = 0
        var documents = 0
        /// The last document that was counted.
        var last = -1
    }

    let feedback: Feedback
    let search: KeywordSearch

    /// The words, the most distinctive first.
    ///
    /// Bo1 with the share of the documents that hold the stem as its rate λ: tf · log₂((1 + λ) / λ) + log₂(1 + λ).
    /// Time grows with the bytes read and the postings of at most ``mostStems`` stems.
    func chosen(from ordinals: [Int]) -> [Chosen] {
        var counts: [[UInt8]: Count] = [:]
        for (number, ordinal) in ordinals.enumerated() { count(ordinal, number, &counts) }
        func goesBefore(_ left: (key: [UInt8], value: Count), _ right: (key: [UInt8], value: Count)) -> Bool {
            left.value.times != right.value.times
                ? left.value.times > right.value.times : left.key.lexicographicallyPrecedes(right.key)
        }
        let shared = counts.filter { $0.value.documents >= feedback.holders }.sorted(by: goesBefore)
        var chosen: [Chosen] = []
        for (stem, count) in shared.prefix(Self.mostStems) {
            let found = search.find(.init(isStem: true, folded: stem, factor: 1))
            let holders = found.reduce(0) { $0 + $1.rows.count }
            guard holders > 0 else { continue }
            let rate = Double(holders) / Double(max(1, search.index.count))
            let weight = Double(count.times) * log2((1 + rate) / rate) + log2(1 + rate)
            chosen.append(Chosen(stem: stem, word: count.word, weight: weight, found: found))
        }
        chosen.sort { $0.weight != $1.weight ? $0.weight > $1.weight : $0.stem.lexicographicallyPrecedes($1.stem) }
        guard let greatest = chosen.first?.weight, greatest > 0 else { return [] }
        return chosen.prefix(feedback.words).map { one in
            var one = one
            one.weight /= greatest
            return one
        }
    }

    /// Counts the stems of a document, without words that say nothing.
    private func count(_ ordinal: Int, _ number: Int, _ counts: inout [[UInt8]: Count]) {
        let text = search.index.text(of: ordinal, atMost: Self.mostBytes)
        var words: [ArraySlice<UInt8>: Int] = [:]
        for run in WordBytes.runs(in: text) {
            for range in WordSplitter.words(in: text[run]) where range.count > 2 {
                words[text[run.lowerBound + range.lowerBound..<run.lowerBound + range.upperBound], default: 0] += 1
            }
        }
        for (word, times) in words where !QueryTerms.isStopWord(word) {
            let word = Array(word)
            let stem = EnglishStemmer.stem(word)
            var count = counts[stem] ?? Count(word: word)
            // Of several words with one stem the first in byte order is shown.
            if word.lexicographicallyPrecedes(count.word) { count.word = word }
            count.times += times
            if count.last != number { count.documents += 1 }
            count.last = number
            counts[stem] = count
        }
    }
}
