/// Feedback for the documents of a database, in steps between which the database is asked; see ``FeedbackPass``, whose results
/// it has.
///
/// 1. ``stems(of:)`` chooses stems from the texts of ``documents``.
/// 2. ``choose(_:holders:of:)`` chooses words, once it is known how many documents hold each stem.
/// 3. ``legs(_:after:passages:again:totals:)`` scores ``candidates`` again.
package struct RemoteFeedback: Sendable {
    /// The passages of a document that are compared, when the vector leg did not find the document.
    package static let mostPassages = FeedbackPass.mostPassages
    /// The bytes of a folded text that are read, and one more, which tells that a text is longer.
    package static let textBytes = FeedbackWords.mostBytes + 1

    /// The candidates of both legs, best first.
    package let candidates: [Int64]
    /// The best of them, which the query learns from.
    package var documents: [Int64] { Array(candidates.prefix(words.feedback.documents)) }

    private let words: FeedbackWords
    private let strength: Double
    private let unit: [Float]
    private let question: KeywordQuestion
    private let wanted: Int

    /// Returns nil where feedback has no part: without both legs, for a short query, or when it is not wanted.
    package init?(_ query: HybridQuery, _ question: KeywordQuestion, _ legs: RemoteLegs) {
        guard query.mode == .hybrid, let feedback = query.feedback, !legs.vector.hits.isEmpty, !legs.keyword.isEmpty,
            let unit = query.vector.flatMap({ UnitVector.normalised($0) })
        else { return nil }
        strength = feedback.strength(words: question.terms.terms.count)
        guard strength > 0 else { return nil }
        words = FeedbackWords(feedback: feedback)
        (self.unit, self.question) = (unit, question)
        candidates = legs.ranked(for: query)
        wanted = RemoteLegs.depth(for: query.limit)
    }

    /// A stem that the best documents share.
    package struct Stem: Sendable {
        let shared: FeedbackWords.Shared
        package var text: String { String(decoding: shared.stem, as: UTF8.self) }
    }

    /// The stems to count.
    ///
    /// - Parameter texts: The first ``textBytes`` of the folded texts of ``documents``, in their order.
    package func stems(of texts: [[UInt8]]) -> [Stem] {
        let texts = texts.map { text in
            guard text.count > FeedbackWords.mostBytes else { return text }
            var text = Array(text.prefix(FeedbackWords.mostBytes))
            while let last = text.last, WordBytes.contains(last) { text.removeLast() }
            return text
        }
        return words.shared(by: texts).map(Stem.init)
    }

    /// The words that were chosen, and the question with them.
    package struct Chosen: Sendable {
        let words: [FeedbackWords.Chosen]
        package let question: KeywordQuestion
        /// The number of documents that hold each stem.
        let holders: [String: Int]
        /// The stems of the words.
        package var stems: [String] { words.map { String(decoding: $0.stem, as: UTF8.self) } }
    }

    /// Chooses words.
    ///
    /// - Parameters:
    ///   - holders: The number of documents that hold each stem.
    ///   - documents: The number of all documents.
    package func choose(_ stems: [Stem], holders: [String: Int], of documents: Int) -> Chosen {
        let best = words.best(
            of: stems.compactMap { words.chosen($0.shared, holders: holders[$0.text] ?? 0, of: documents) })
        let scaled = words.scaled(best, by: strength, beside: question.terms)
        return Chosen(words: scaled, question: question.adding(scaled), holders: holders)
    }

    /// A passage of a document.
    package struct Passage: Sendable {
        package var number: Int
        package var vector: [Float]

        package init(number: Int, vector: [Float]) { (self.number, self.vector) = (number, vector) }
    }

    /// The second rankings.
    ///
    /// - Parameters:
    ///   - first: The first legs, and the answer to the question.
    ///   - passages: By candidate: the passage that the vector leg found, or the first ``mostPassages``.
    ///   - again: The answer to ``Chosen/question`` over ``candidates``.
    package func legs(
        _ chosen: Chosen, after first: (legs: RemoteLegs, answer: KeywordAnswer), passages: [Int64: [Passage]],
        again: KeywordAnswer, totals: KeywordAnswer.Totals
    ) -> RemoteLegs.Second {
        let rows = passages.compactMapValues(nearest)
        let moved = FeedbackPass.moved(
            unit, towards: documents.compactMap { rows[$0]?.vector }, by: words.feedback.vectorWeight * strength)
        let counts = first.answer.holders
        let all = chosen.question.seeks.enumerated().map { number, seek in
            number < counts.count ? counts[number] : chosen.holders[String(decoding: seek.folded, as: UTF8.self)] ?? 0
        }
        return RemoteLegs.Second(
            vector: cosines(with: moved, rows, first.legs), keyword: again.best(wanted, of: totals, holders: all).hits,
            report: FeedbackReport(
                documents: documents,
                words: chosen.words.map { .init(text: String(decoding: $0.word, as: UTF8.self), weight: $0.weight) },
                vectorWeight: words.feedback.vectorWeight * strength),
            firstRanks: Dictionary(candidates.enumerated().map { ($0.element, $0.offset + 1) }) { first, _ in first })
    }

    /// The passage that is nearest to the query, with its vector scaled to length 1.
    private func nearest(_ passages: [Passage]) -> Passage? {
        let all = passages.compactMap { one in
            UnitVector.normalised(one.vector).map { Passage(number: one.number, vector: $0) }
        }
        guard var best = all.first, all.count > 1 else { return all.first }
        var greatest = -Float.infinity
        for passage in all {
            let score = Self.cosine(unit, passage.vector)
            if score > greatest { (greatest, best) = (score, passage) }
        }
        return best
    }

    /// The documents with a vector, by the cosine of their nearest passage; equal cosines by id.
    private func cosines(
        with query: [Float], _ rows: [Int64: Passage], _ legs: RemoteLegs
    ) -> [VectorLegAnswer.Hit] {
        let times = Dictionary(
            legs.vector.hits.map { ($0.id, $0.createdAt) } + legs.keyword.map { ($0.id, $0.createdAt) }
        ) { first, _ in first }
        let order = Array(rows)
        var best = TopK<Int64>(wanted)
        for (place, row) in order.enumerated() {
            best.offer(.init(score: Self.cosine(query, row.value.vector), key: row.key, payload: place))
        }
        return best.sorted().map { entry in
            let (id, passage) = order[entry.payload]
            return VectorLegAnswer.Hit(
                id: id, passage: passage.number, createdAt: times[id] ?? 0, score: Double(entry.score))
        }
    }

    private static func cosine(_ left: [Float], _ right: [Float]) -> Float {
        var sum: Float = 0
        for (one, other) in zip(left, right) { sum += one * other }
        return sum
    }
}
