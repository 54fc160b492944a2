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
            func stems(_ text: [UInt8]) -> [[UInt8]] {
                WordBytes.runs(in: text).flatMap { run in
                    let bytes = Array(text[run])
                    return WordSplitter.words(in: bytes).map { EnglishStemmer.stem(Array(bytes[$0])) }
                }
            }
            let (inTitle, inText) = (stems(title), stems(text))
            titleStems = Set(inTitle)
            self.stems = Dictionary((inTitle + inText).map { ($0, 1) }, uniquingKeysWith: +)
            words = inTitle.count + inText.count
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
        func add(_ isStem: Bool, _ factor: Float, _ mark: (Document) -> UInt8) {
            let marks = documents.mapValues(mark).filter { $0.value != 0 }
            if !isStem { held.formUnion(marks.keys) }
            let weight = factor * BM25.inverseDocumentFrequency(marks.count, of: documents.count)
            guard weight > 0 else { return }
            let curve = (isStem ? scoring.stems : scoring.patterns).curve(
                weight: weight, average: Float(isStem ? words : bytes) / count)
            for (ordinal, mark) in marks {
                guard let document = documents[ordinal] else { continue }
                let length = Float(isStem ? document.words : document.bytes)
                sums[ordinal, default: 0] += curve.score(mark, norm: curve.norm(of: length))
            }
        }
        var stems: [[UInt8]: Int] = [:]
        for term in terms.terms {
            let share: Float =
                term.isPattern || scorer == .like ? 1 : scorer == .both ? scoring.patternShare : 0
            if share > 0 || needsPattern {
                add(false, share * Float(term.repeats)) { $0.mark(ofPattern: term.folded) }
            }
            guard scorer != .like else { continue }
            for stem in term.stems { stems[stem, default: 0] += term.repeats }
        }
        for (stem, repeats) in stems.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            add(true, Float(repeats)) { $0.mark(ofStem: stem) }
        }
        let found = needsPattern && scorer != .like ? held : Set(sums.keys)
        return found.filter { passed?[$0] ?? true }.map { Found(ordinal: $0, score: sums[$0] ?? 0) }.sorted {
            if $0.score != $1.score { return $0.score > $1.score }
            let (left, right) = (catalog.createdAt[$0.ordinal], catalog.createdAt[$1.ordinal])
            return left != right ? left > right : catalog.ids[$0.ordinal] < catalog.ids[$1.ordinal]
        }
    }
}
