@testable import Retrieval

/// The keyword leg as it should be: every term is looked for in every text, every document is scored, and all are
/// sorted.
struct ExhaustiveScoring {
    struct Document {
        var title: [UInt8]
        var text: [UInt8]
        /// The stems of the words, of the title and of both.
        var titleStems: Set<[UInt8]>
        var stems: [[UInt8]: Int]
        var words: Int

        init(title: [UInt8], text: [UInt8]) {
            self.title = title
            self.text = text
            func words(_ text: [UInt8]) -> [[UInt8]] {
                WordBytes.runs(in: text).flatMap { run in
                    let bytes = Array(text[run])
                    return WordSplitter.words(in: bytes).map { Array(bytes[$0]) }
                }
            }
            let (inTitle, inText) = (words(title), words(text))
            titleStems = Set(inTitle.flatMap(WordStems.keys))
            self.stems = Dictionary(
                (inTitle + inText).flatMap(WordStems.keys).map { ($0, 1) }, uniquingKeysWith: +)
            self.words = inTitle.count + inText.count
        }

        var bytes: Int { title.count + text.count + 2 }

        func mark(ofStem stem: [UInt8]) -> UInt8 {
            let count = min(KeywordSegment.maxTermFrequency, stems[stem] ?? 0)
            return UInt8(count) | (titleStems.contains(stem) ? KeywordSegment.titleFlag : 0)
        }

        func mark(ofPattern pattern: [UInt8]) -> UInt8 {
            guard !pattern.isEmpty else { return 0 }
            let inTitle = ReferenceKeywordIndex.quarters(pattern, in: title)
            let all = inTitle + ReferenceKeywordIndex.quarters(pattern, in: text)
            return UInt8(min(TermRows.maxQuarters, all)) | (inTitle > 0 ? KeywordSegment.titleFlag : 0)
        }
    }

    struct Found: Equatable {
        var ordinal: Int
        var score: Float
    }

    /// By ordinal.
    var documents: [Int: Document] = [:]
    var scoring = KeywordScoring()

    /// All documents that are found, best first.
    func all(
        for terms: QueryTerms, scorer: KeywordScorer, needsPattern: Bool, passed: Bitmap?, catalog: Catalog
    ) -> [Found] {
        let words = documents.values.reduce(0) { $0 + $1.words }
        let bytes = documents.values.reduce(0) { $0 + $1.bytes }
        let count = Float(max(1, documents.count))
        var sums: [Int: Float] = [:]
        var held: Set<Int> = []
        let seeks = KeywordSearch.seeks(
            of: terms, scorer: scorer, needsPattern: needsPattern, scoring: scoring)
        let marks = seeks.map { seek in
            documents.mapValues { seek.isStem ? $0.mark(ofStem: seek.folded) : $0.mark(ofPattern: seek.folded) }
                .filter { $0.value != 0 }
        }
        let weights = KeywordSearch.weights(
            of: seeks, holders: marks.map(\.count), documents: documents.count,
            selects: needsPattern && scorer != .like)
        for ((seek, marks), weight) in zip(zip(seeks, marks), weights) {
            if seek.selects { held.formUnion(marks.keys) }
            guard let weight, weight > 0 else { continue }
            let curve = (seek.isStem ? scoring.stems : scoring.patterns).curve(
                weight: weight, average: Float(seek.isStem ? words : bytes) / count)
            for (ordinal, mark) in marks {
                guard let document = documents[ordinal] else { continue }
                let length = Float(seek.isStem ? document.words : document.bytes)
                sums[ordinal, default: 0] += curve.score(mark, norm: curve.norm(of: length))
            }
        }
        let found = needsPattern && scorer != .like ? held : Set(sums.keys)
        return found.filter { passed?[$0] ?? true }.map { Found(ordinal: $0, score: sums[$0] ?? 0) }.sorted {
            if $0.score != $1.score { return $0.score > $1.score }
            let (left, right) = (catalog.createdAt[$0.ordinal], catalog.createdAt[$1.ordinal])
            return left != right ? left > right : catalog.ids[$0.ordinal] < catalog.ids[$1.ordinal]
        }
    }
}
