/// Whether the windows have other words in the place of the claim's.
struct WordingCheck: ComparisonCheck {
    let comparison: Comparison

    /// Tokens of a text that are aligned at most; later ones are left out.
    private static let maxAligned = 320

    /// Words of the claim that stand where the passage has other words, with matching words on both sides.
    ///
    /// Claim and windows are aligned by their longest common subsequence of tokens.
    func differences() -> [(token: Int, difference: Difference)] {
        let pairs = alignment()
        var found: [(token: Int, difference: Difference)] = []
        var last = (claim: -1, place: -1)
        for next in pairs + [(claim.tokens.count, places.count)] {
            let ours = Array((last.claim + 1)..<max(last.claim + 1, next.claim)).filter {
                claim.weights[$0] > 0 && strengths[$0] == 0 && claim.tokens[$0].isNounLike
            }
            var theirs = Array((last.place + 1)..<max(last.place + 1, next.place)).filter {
                places[$0].token.isNounLike && !isClaimed($0)
            }
            // At the start and the end only neighbours count.
            if last.claim < 0 { theirs = Array(theirs.suffix(2)) }
            if next.claim == claim.tokens.count { theirs = Array(theirs.prefix(2)) }
            if (1...2).contains(ours.count), (1...2).contains(theirs.count) {
                for token in ours { found.append((token, Difference(kind: .wording, claimed: claim.ranges[token]))) }
            }
            last = next
        }
        for token in claim.tokens.indices where claim.tokens[token].isPredicate && isFromElsewhere(token) {
            found.append((token, Difference(kind: .wording, claimed: claim.ranges[token])))
        }
        return found
    }

    /// Whether the windows have a word only outside the sentence that has the words around it.
    private func isFromElsewhere(_ token: Int) -> Bool {
        guard claim.weights[token] > 0, claim.tokens[token].quantity == nil, !matches[token].isEmpty else {
            return false
        }
        let others = claim.tokens.indices.filter {
            claim.tokens[$0].clause == claim.tokens[token].clause && $0 != token && claim.weights[$0] > 0
        }
        guard others.count > 1, let best = bestClause(for: others), best.share > 0.6 else { return false }
        return !matches[token].contains { places[$0].entry == best.entry }
    }

    /// Pairs of equal tokens, ascending on both sides, as many as possible.
    func alignment() -> [(claim: Int, place: Int)] {
        let rows = claim.tokens.count
        let columns = min(places.count, Self.maxAligned)
        guard rows > 0, columns > 0 else { return [] }
        let equal: [[Bool]] = (0..<rows).map { row in
            var line = [Bool](repeating: false, count: columns)
            for place in matches[row] where place < columns { line[place] = true }
            if !claim.tokens[row].isContent {
                for column in 0..<columns { line[column] = claim.tokens[row].id == places[column].token.id }
            }
            return line
        }
        let width = columns + 1
        var lengths = [UInt16](repeating: 0, count: (rows + 1) * width)
        for row in stride(from: rows - 1, through: 0, by: -1) {
            for column in stride(from: columns - 1, through: 0, by: -1) {
                lengths[row * width + column] =
                    equal[row][column]
                    ? lengths[(row + 1) * width + column + 1] + 1
                    : max(lengths[(row + 1) * width + column], lengths[row * width + column + 1])
            }
        }
        var pairs: [(claim: Int, place: Int)] = []
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            if equal[row][column] {
                pairs.append((row, column))
                row += 1
                column += 1
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return pairs
    }
}
