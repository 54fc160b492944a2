/// Scores the candidates of both legs a second time, with what the best of them add to the query.
struct FeedbackPass {
    /// The passages of a document that are compared, when the vector leg did not find the document.
    static let mostPassages = 16

    let feedback: Feedback
    let unit: [Float]
    let vectors: VectorIndex
    let catalog: Catalog
    /// The keyword leg of the first pass.
    let keywords: KeywordSearch
    /// The rows of its seeks in each part.
    let found: [[TermSearch]]

    /// The second rankings of the legs.
    struct Legs {
        var vector: [LegHit]
        var keyword: [LegHit]
        var report: FeedbackReport
        /// By ordinal: the rank in the first ranking, from 1.
        var firstRanks: [Int: Int]
    }

    /// Whether feedback changes this search: the query is long enough, and both legs found something.
    func hasPart(in vector: [LegHit], _ keyword: [LegHit]) -> Bool {
        strength > 0 && !vector.isEmpty && !keyword.isEmpty
    }

    private var strength: Double { feedback.strength(words: keywords.terms.terms.count) }

    /// The second rankings.
    ///
    /// - Parameters:
    ///   - vector: The candidates of the vector leg.
    ///   - keyword: The candidates of the keyword leg.
    ///   - ranked: The candidates of both, best first, by ordinal.
    func legs(vector: [LegHit], keyword: [LegHit], ranked: [Int]) -> Legs {
        let best = Array(ranked.prefix(feedback.documents))
        let rows = nearestRows(of: ranked, vector)
        let moved = moved(towards: best, rows, by: feedback.vectorWeight * strength)
        let words = words(from: best, strength)
        let (again, all) = keywords.adding(words, to: found)
        return Legs(
            vector: cosines(with: moved, rows), keyword: again.scores(of: ranked, found: all),
            report: FeedbackReport(
                documents: best.map { catalog.ids[$0] },
                words: words.map { .init(text: String(decoding: $0.word, as: UTF8.self), weight: $0.weight) },
                vectorWeight: feedback.vectorWeight * strength),
            firstRanks: Dictionary(uniqueKeysWithValues: ranked.enumerated().map { ($0.element, $0.offset + 1) }))
    }

    /// The words that are added, each with its weight.
    private func words(from best: [Int], _ strength: Double) -> [FeedbackWords.Chosen] {
        let words = FeedbackWords(feedback: feedback)
        return words.scaled(words.chosen(from: best, in: keywords), by: strength, beside: keywords.terms)
    }

    // MARK: Vectors

    /// The row of the passage of each document that is nearest to the query; none for documents without a vector.
    private func nearestRows(of ordinals: [Int], _ hits: [LegHit]) -> [Int: Int] {
        var rows: [Int: Int] = [:]
        rows.reserveCapacity(ordinals.count)
        for hit in hits { rows[hit.ordinal] = vectors.rows(of: hit.ordinal).lowerBound + hit.passage }
        for ordinal in ordinals where rows[ordinal] == nil {
            let own = vectors.rows(of: ordinal).prefix(Self.mostPassages)
            guard let first = own.first else { continue }
            var nearest = (row: first, score: -Float.infinity)
            for row in own where own.count > 1 {
                let score = vectors.score(of: unit, row: row)
                if score > nearest.score { nearest = (row, score) }
            }
            rows[ordinal] = nearest.row
        }
        return rows
    }

    /// The query's vector, moved towards the mean of some documents.
    private func moved(towards best: [Int], _ rows: [Int: Int], by weight: Double) -> [Float] {
        Self.moved(unit, towards: best.compactMap { rows[$0].flatMap { vectors.vector(row: $0) } }, by: weight)
    }

    /// A vector, moved towards the mean of others.
    static func moved(_ unit: [Float], towards others: [some Sequence<Float>], by weight: Double) -> [Float] {
        guard !others.isEmpty, weight > 0 else { return unit }
        var sum = [Float](repeating: 0, count: unit.count)
        for vector in others { for (index, value) in zip(sum.indices, vector) { sum[index] += value } }
        let share = Float(weight) / Float(others.count)
        // A sum of zero or of damaged numbers changes nothing.
        return UnitVector.normalised(zip(unit, sum).map { $0 + share * $1 }) ?? unit
    }

    /// The documents with a vector, by the cosine of their nearest passage; equal cosines by id.
    private func cosines(with query: [Float], _ rows: [Int: Int]) -> [LegHit] {
        var best = TopK<Int64>(keywords.wanted)
        for (ordinal, row) in rows {
            best.offer(.init(score: vectors.score(of: query, row: row), key: catalog.ids[ordinal], payload: ordinal))
        }
        return best.legHits.map { hit in
            var hit = hit
            hit.passage = (rows[hit.ordinal] ?? 0) - vectors.rows(of: hit.ordinal).lowerBound
            return hit
        }
    }
}
