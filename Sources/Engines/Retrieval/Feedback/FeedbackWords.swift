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

    /// A stem that several documents hold.
    struct Shared {
        var stem: [UInt8]
        /// A word with this stem.
        var word: [UInt8]
        /// How often it occurs in the documents.
        var times: Int
    }

    let feedback: Feedback

    /// The words of some documents of an index, the most distinctive first.
    ///
    /// Time grows with the bytes read and the postings of at most ``mostStems`` stems.
    func chosen(from ordinals: [Int], in search: KeywordSearch) -> [Chosen] {
        let texts = ordinals.map { search.index.text(of: $0, atMost: Self.mostBytes) }
        return best(
            of: shared(by: texts).compactMap { shared in
                let found = search.find(.stem(shared.stem, factor: 1))
                let holders = found.reduce(0) { $0 + $1.rows.count }
                return chosen(shared, holders: holders, of: search.index.count, found)
            })
    }

    /// The stems that ``Feedback/holders`` of some texts hold, those that occur most often first, at most ``mostStems``.
    func shared(by texts: [[UInt8]]) -> [Shared] {
        var counts: [[UInt8]: Count] = [:]
        for (number, text) in texts.enumerated() { count(text, number, &counts) }
        func goesBefore(_ left: (key: [UInt8], value: Count), _ right: (key: [UInt8], value: Count)) -> Bool {
            left.value.times != right.value.times
                ? left.value.times > right.value.times : left.key.lexicographicallyPrecedes(right.key)
        }
        return counts.filter { $0.value.documents >= feedback.holders }.sorted(by: goesBefore).prefix(Self.mostStems)
            .map { Shared(stem: $0.key, word: $0.value.word, times: $0.value.times) }
    }

    /// A stem with its weight: Bo1 with the share of the documents that hold the stem as its rate λ, which is
    /// tf · log₂((1 + λ) / λ) + log₂(1 + λ).
    ///
    /// - Parameters:
    ///   - holders: The number of documents that hold it.
    ///   - documents: The number of all documents.
    /// - Returns: nil for a stem that no document holds.
    func chosen(_ shared: Shared, holders: Int, of documents: Int, _ found: [TermSearch] = []) -> Chosen? {
        guard holders > 0 else { return nil }
        let rate = Double(holders) / Double(max(1, documents))
        let weight = Double(shared.times) * log2((1 + rate) / rate) + log2(1 + rate)
        return Chosen(stem: shared.stem, word: shared.word, weight: weight, found: found)
    }

    /// The heaviest stems; the first one has the weight 1.
    func best(of all: [Chosen]) -> [Chosen] {
        let sorted = all.sorted {
            $0.weight != $1.weight ? $0.weight > $1.weight : $0.stem.lexicographicallyPrecedes($1.stem)
        }
        guard let greatest = sorted.first?.weight, greatest > 0 else { return [] }
        return sorted.prefix(feedback.words).map { one in
            var one = one
            one.weight /= greatest
            return one
        }
    }

    /// The stems with the weights that they get in a query.
    ///
    /// - Parameters:
    ///   - strength: The share of full strength, 0 to 1.
    ///   - terms: The query's terms.
    func scaled(_ chosen: [Chosen], by strength: Double, beside terms: QueryTerms) -> [Chosen] {
        let whole = chosen.reduce(0) { $0 + $1.weight }
        guard whole > 0 else { return [] }
        let own = terms.terms.reduce(0) { $0 + $1.repeats }
        let scale = strength * min(feedback.wordWeight, feedback.wordsShare * Double(own) / whole)
        return chosen.map { one in
            var one = one
            one.weight *= scale
            return one
        }
    }

    /// Counts the stems of a document, without words that say nothing.
    private func count(_ text: [UInt8], _ number: Int, _ counts: inout [[UInt8]: Count]) {
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
