import Text

/// What a database keeps of a document for the keyword leg, so that it can find and count what ``KeywordIndex`` would.
package struct IndexedText: Sendable, Hashable {
    /// A run of word bytes of the text, with its mark: the lower seven bits count it, the upper bit is set when the title
    /// has it.
    package struct Run: Sendable, Hashable {
        package var text: String
        package var mark: UInt8
    }

    /// The folded title, U+0001, and the folded text.
    package let folded: String
    /// The bytes of the folded title.
    package let titleBytes: Int
    /// The words that BM25 counts.
    package let words: Int
    /// The bytes that BM25 counts, both separators included.
    package let bytes: Int
    /// The distinct runs, in the order of their first places.
    package let runs: [Run]

    /// Folds and cuts a document. Time grows with the text.
    package init(title: String, text: String) {
        let title = TextFolding.fold(title)
        var bytes = title
        bytes.append(TextFolding.titleEnd)
        bytes += TextFolding.fold(text)
        var (found, places, words) = ([Run](), [String: Int](), 0)
        for range in WordBytes.runs(in: bytes) {
            let run = bytes[range]
            words += run.allSatisfy { $0 < 0x80 } ? 1 : WordSplitter.words(in: run).count
            let text = String(decoding: run, as: UTF8.self)
            if let place = places[text] {
                if found[place].mark & 0x7F < KeywordSegment.maxTermFrequency { found[place].mark += 1 }
            } else {
                places[text] = found.count
                found.append(
                    Run(text: text, mark: 1 | (range.upperBound <= title.count ? KeywordSegment.titleFlag : 0)))
            }
        }
        folded = String(decoding: bytes, as: UTF8.self)
        titleBytes = title.count
        self.words = words
        self.bytes = bytes.count + 1
        runs = found
    }

    /// The distinct stems of a run's words.
    package static func stems(of run: String) -> [String] {
        var seen: Set<String> = []
        return stemList(Array(run.utf8)).map { String(decoding: $0, as: UTF8.self) }.filter { seen.insert($0).inserted }
    }

    /// The stems of each word of a run, with the keys of those that have marks.
    static func stemList(_ run: [UInt8]) -> [[UInt8]] {
        WordSplitter.words(in: run).flatMap { WordStems.keys(of: Array(run[$0])) }
    }
}
