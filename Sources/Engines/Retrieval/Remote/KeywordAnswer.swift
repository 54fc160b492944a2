/// Scores the rows that a database found for a ``KeywordQuestion``.
///
/// Rows are added once each, in any order. A row keeps a byte for each seek, whatever its text.
package struct KeywordAnswer: Sendable {
    /// A document as the database keeps it.
    package struct Document: Sendable {
        package var id: Int64
        package var createdAt: Int64
        package var words: Int
        package var bytes: Int
        /// Whether the document passes the query's filter. Others only count for the frequency of terms.
        package var passes: Bool

        package init(id: Int64, createdAt: Int64, words: Int, bytes: Int, passes: Bool) {
            self.id = id
            self.createdAt = createdAt
            self.words = words
            self.bytes = bytes
            self.passes = passes
        }
    }

    /// A document of the leg.
    package struct Hit: Sendable, Hashable {
        package var id: Int64
        package var createdAt: Int64
        package var score: Double

        package init(id: Int64, createdAt: Int64, score: Double) {
            self.id = id
            self.createdAt = createdAt
            self.score = score
        }
    }

    /// The numbers of all documents that can be found.
    package struct Totals: Sendable, Hashable {
        package var documents: Int
        package var words: Int
        package var bytes: Int

        package init(documents: Int, words: Int, bytes: Int) {
            self.documents = documents
            self.words = words
            self.bytes = bytes
        }
    }

    package let question: KeywordQuestion
    private let effects: [Int32: [KeywordQuestion.Effect]]
    /// A bit for each remainder of a number that has effects. Most runs of a document have none.
    private var remainders = [UInt64](repeating: 0, count: Self.remainders / 64)
    private static let remainders = 1 << 14
    private var documents: [Document] = []
    /// One mark for each seek of each document.
    private var marks: [UInt8] = []
    /// The number of documents that hold each seek.
    private(set) var holders: [Int]
    private var row: [UInt8]

    /// - Parameter vocabulary: The runs of the vocabulary that the question needs, by their numbers.
    package init(_ question: KeywordQuestion, vocabulary: [(id: Int32, run: String)]) {
        self.question = question
        var effects: [Int32: [KeywordQuestion.Effect]] = [:]
        for (id, run) in vocabulary {
            let found = question.effects(of: run)
            if !found.isEmpty { effects[id] = found }
        }
        self.effects = effects
        for number in effects.keys {
            let place = Int(UInt32(bitPattern: number)) % Self.remainders
            remainders[place / 64] |= 1 << UInt64(place % 64)
        }
        holders = Array(repeating: 0, count: question.seeks.count)
        row = holders.map { _ in 0 }
    }

    /// The numbers of the runs that hold a seek.
    package var runs: [Int32] { effects.keys.sorted() }

    /// The number of added rows.
    package var count: Int { documents.count }

    /// Adds a document.
    ///
    /// - Parameters:
    ///   - runs: For each run of the document five bytes: its number, little-endian, and its mark.
    ///   - folded: The folded text, when the question has phrases.
    package mutating func add(_ document: Document, runs: UnsafeRawBufferPointer, folded: [UInt8]?) {
        for seek in row.indices { row[seek] = 0 }
        var place = 0
        while place + 5 <= runs.count {
            let number = unsafe Int32(littleEndian: runs.loadUnaligned(fromByteOffset: place, as: Int32.self))
            let remainder = Int(UInt32(bitPattern: number)) % Self.remainders
            if remainders[remainder / 64] & 1 << UInt64(remainder % 64) != 0, let effects = effects[number] {
                let mark = unsafe runs[place + 4]
                for effect in effects {
                    let most =
                        question.seeks[effect.seek].isStem ? KeywordSegment.maxTermFrequency : TermRows.maxQuarters
                    row[effect.seek] = TermRows.sum(row[effect.seek], adding: mark, times: effect.factor, most: most)
                }
            }
            place += 5
        }
        if let folded {
            for phrase in question.phrases { row[phrase.seek] = Self.mark(of: phrase, in: folded) }
        }
        guard row.contains(where: { $0 != 0 }) else { return }
        for seek in row.indices where row[seek] != 0 { holders[seek] += 1 }
        documents.append(document)
        marks += row
    }

    private static func mark(of phrase: KeywordQuestion.Phrase, in folded: [UInt8]) -> UInt8 {
        let pattern = Array(phrase.text.utf8)
        let quarters = min(TermRows.maxQuarters, KeywordQuestion.quarters(of: pattern, in: folded[...]))
        guard quarters > 0 else { return 0 }
        let title = folded.prefix { $0 != 1 }
        let isInTitle = KeywordQuestion.quarters(of: pattern, in: title) > 0
        return UInt8(quarters) | (isInTitle ? KeywordSegment.titleFlag : 0)
    }

    /// The best documents, as ``KeywordSearch`` would return them, and the number of all that were found.
    ///
    /// - Parameter wanted: The number of documents.
    package func best(_ wanted: Int, of totals: Totals) -> (hits: [Hit], found: Int) {
        best(wanted, of: totals, holders: holders)
    }

    /// - Parameter holders: The number of all documents that hold each seek, when only some of them were added.
    func best(_ wanted: Int, of totals: Totals, holders: [Int]) -> (hits: [Hit], found: Int) {
        let words = Float(totals.words) / Float(max(1, totals.documents))
        let bytes = Float(totals.bytes) / Float(max(1, totals.documents))
        let scoring = question.scoring
        let weights = KeywordSearch.weights(
            of: question.seeks, holders: holders, documents: totals.documents, selects: question.selectsByPattern)
        let curves = zip(question.seeks, weights).map { seek, weight -> BM25.Curve? in
            guard let weight else { return nil }
            return seek.isStem
                ? scoring.stems.curve(weight: weight, average: words)
                : scoring.patterns.curve(weight: weight, average: bytes)
        }
        let (created, ids) = (Column(documents.map(\.createdAt)), Column(documents.map(\.id)))
        var best = KeywordBest(wanted)
        for (place, document) in documents.enumerated() where document.passes {
            var (score, hasPattern) = (Float(0), false)
            for (number, curve) in curves.enumerated() {
                let mark = marks[place * curves.count + number]
                guard mark != 0, let curve else { continue }
                let isStem = question.seeks[number].isStem
                score += curve.score(mark, norm: curve.norm(of: Float(isStem ? document.words : document.bytes)))
                if question.seeks[number].selects { hasPattern = true }
            }
            guard question.selectsByPattern ? hasPattern : score > 0 else { continue }
            best.found += 1
            best.offer(score, place, createdAt: created, ids: ids)
        }
        let hits = best.hits.map { Hit(id: ids[$0.ordinal], createdAt: created[$0.ordinal], score: $0.score) }
        return (hits, best.found)
    }
}
