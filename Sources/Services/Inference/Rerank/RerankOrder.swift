/// The order of candidates by a model's scores.
package enum RerankOrder {
    /// Returns the candidates' places in their new order, each exactly once.
    ///
    /// Candidates with a score share the places that they had, the highest first; equal scores keep their order. A candidate
    /// without a score keeps its place, since nothing is known against it.
    ///
    /// - Parameter scores: By place before: the score, finite; nil for none.
    package static func places(by scores: [Double?]) -> [Int] {
        var order = Array(scores.indices)
        let scored = scores.enumerated().compactMap { place, score in score.map { (place: place, score: $0) } }
        let ranked = scored.sorted { $0.score != $1.score ? $0.score > $1.score : $0.place < $1.place }
        for (slot, one) in zip(scored, ranked) { order[slot.place] = one.place }
        return order
    }
}
