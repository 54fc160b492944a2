/// Neighbouring sentences of a passage that say most of what a claim says.
struct Window: Equatable {
    /// The passage's index.
    var passage: Int
    /// Entries of the index.
    var entries: Range<Int>
    /// The share of the claim, by weight, that the window has, 0 to 1.
    var coverage: Float

    /// Sentences of a window at most.
    static let maxSentences = 3
    /// What each sentence beyond the first costs, as a share of the claim.
    private static let costOfSentence: Float = 0.03

    /// The best window of each passage. Passages that share nothing with the claim have none.
    ///
    /// Costs the number of matches and of sentences, times ``maxSentences``.
    static func best(for claim: Claim, in index: PassageIndex) -> [Int: Window] {
        let total = claim.weights.reduce(0, +)
        guard total > 0 else { return [:] }
        // By entry: what it matches.
        var found: [[(token: Int, strength: Float)]] = Array(repeating: [], count: index.entries.count)
        for (token, matches) in claim.matches.enumerated() where claim.weights[token] > 0 {
            for match in matches { found[match.entry].append((token, match.strength)) }
        }
        var best: [Int: Window] = [:]
        var strengths = [Float](repeating: 0, count: claim.tokens.count)
        for (passage, span) in index.spans.enumerated() {
            var highest: Float = 0
            for start in span where !found[start].isEmpty {
                var covered: Float = 0
                var touched: [Int] = []
                for end in start..<min(start + maxSentences, span.upperBound) {
                    for match in found[end] where match.strength > strengths[match.token] {
                        covered += (match.strength - strengths[match.token]) * claim.weights[match.token]
                        strengths[match.token] = match.strength
                        touched.append(match.token)
                    }
                    let score = covered / total - Float(end - start) * costOfSentence
                    if score > highest {
                        highest = score
                        best[passage] = Window(passage: passage, entries: start..<(end + 1), coverage: covered / total)
                    }
                }
                for token in touched { strengths[token] = 0 }
            }
        }
        return best
    }
}
