/// A claim beside the windows of the passages that it cites.
struct Comparison {
    /// A token of a window.
    struct Place {
        var token: ComparedToken
        /// The clause among all clauses of the windows.
        var clause: Int
        var entry: Int
        /// How many words and numbers stand before.
        var position: Int
    }

    let claim: Claim
    let index: PassageIndex
    let windows: [Window]
    let places: [Place]
    /// By clause of the windows.
    let polarities: [Polarity]
    /// By token of the claim: the best match among ``places``.
    private(set) var strengths: [Float]
    /// By token of the claim: the places that match it.
    let matches: [[Int]]
    /// By place: whether some token of the claim matches it.
    private let claimed: [Bool]
    /// By clause of the claim: the clause of the windows that has most of it.
    private(set) var bestClauses: [BestClause?] = []

    /// A clause of the windows that has some words of the claim.
    struct BestClause {
        var clause: Int
        var entry: Int
        /// How much of the words, by weight, 0 to 1.
        var share: Float
    }

    init(_ claim: Claim, _ windows: [Window], _ index: PassageIndex) {
        self.claim = claim
        self.index = index
        self.windows = windows
        var places: [Place] = []
        var polarities: [Polarity] = []
        var position = 0
        for entry in windows.flatMap(\.entries) {
            let text = index.entries[entry].text
            for token in text.tokens {
                let clause = polarities.count + token.clause
                places.append(Place(token: token, clause: clause, entry: entry, position: position))
                if token.isContent { position += 1 }
            }
            polarities += text.polarities
        }
        self.places = places
        self.polarities = polarities
        var strengths = [Float](repeating: 0, count: claim.tokens.count)
        var matches: [[Int]] = Array(repeating: [], count: claim.tokens.count)
        for token in claim.tokens.indices where claim.tokens[token].isContent {
            for (place, other) in places.enumerated() where other.token.isContent {
                let strength = claim.strength(token, other.token)
                guard strength > 0 else { continue }
                matches[token].append(place)
                strengths[token] = max(strengths[token], strength)
            }
        }
        self.matches = matches
        self.strengths = strengths
        var claimed = [Bool](repeating: false, count: places.count)
        for place in matches.joined() { claimed[place] = true }
        self.claimed = claimed
        var clauses: [[Int]] = Array(repeating: [], count: claim.text.polarities.count)
        for token in claim.tokens.indices where claim.weights[token] > 0 {
            clauses[claim.tokens[token].clause].append(token)
        }
        bestClauses = clauses.map(bestClause)
        // A name that the passage gives before: the window may say `he`.
        for token in claim.tokens.indices where self.strengths[token] == 0 && isName(token) {
            if claim.matches[token].contains(where: { isInPassages($0.entry) }) { self.strengths[token] = 0.8 }
        }
    }

    /// The share of the claim, by weight, that the windows have, 0 to 1.
    var coverage: Float { coverage(without: []) }

    /// The share of the claim that the windows have when some tokens are left out of account.
    func coverage(without left: Set<Int>) -> Float {
        var total: Float = 0
        var covered: Float = 0
        for (token, weight) in claim.weights.enumerated() where !left.contains(token) {
            total += weight
            covered += weight * strengths[token]
        }
        return total > 0 ? covered / total : 0
    }

    /// The share that the windows have of the clause of which they have least.
    var leastClauseCoverage: Float {
        var totals = [Float](repeating: 0, count: claim.text.polarities.count)
        var covered = totals
        for (token, weight) in claim.weights.enumerated() {
            totals[claim.tokens[token].clause] += weight
            covered[claim.tokens[token].clause] += weight * strengths[token]
        }
        return zip(covered, totals).reduce(1) { least, clause in
            clause.1 > 0 ? min(least, clause.0 / clause.1) : least
        }
    }

    /// Content tokens of the claim that the windows do not have.
    var missing: [Int] { claim.tokens.indices.filter { claim.weights[$0] > 0 && strengths[$0] == 0 } }

    /// Whether a token of the claim is a name, as far as capitals tell.
    func isName(_ token: Int) -> Bool {
        let word = claim.tokens[token]
        if word.isName { return true }
        return word.isFirst && index.names.contains(word.id)
    }

    /// Whether some token of the claim matches a place of the windows.
    func isClaimed(_ place: Int) -> Bool { claimed[place] }

    /// Whether each clause of the claim has nearly all of its covered words from one passage.
    var hasWholeClauses: Bool {
        claim.text.polarities.indices.allSatisfy { clause in
            let tokens = claim.tokens.indices.filter { claim.tokens[$0].clause == clause && strengths[$0] > 0 }
            let covered = tokens.reduce(Float(0)) { $0 + claim.weights[$1] }
            return windows.contains { window in
                let own = tokens.filter { token in matches[token].contains { window.entries.contains(places[$0].entry) }
                }
                return own.reduce(Float(0)) { $0 + claim.weights[$1] } >= 0.8 * covered
            }
        }
    }

    private func isInPassages(_ entry: Int) -> Bool {
        windows.contains { index.spans[$0.passage].contains(entry) }
    }

    /// The share of the claim, by weight, that is nouns, names, numbers and predicates that the windows lack.
    var missingNouns: Float {
        let total = claim.weights.reduce(0, +)
        let lacking = missing.filter(claim.isFixed).reduce(Float(0)) { $0 + claim.weights[$1] }
        return total > 0 ? lacking / total : 0
    }

    /// The share of words that the claim does not have in the clauses of the windows that it comes from.
    ///
    /// A paraphrase takes up most of a clause. Words gathered from several clauses leave most of each.
    var unmentioned: Float {
        let clauses = Set(bestClauses.compactMap { $0?.clause })
        let inside = places.indices.filter { clauses.contains(places[$0].clause) && places[$0].token.isContent }
        let left = inside.count { !isClaimed($0) }
        return Float(left) / Float(max(1, inside.count))
    }

    /// The clause of the windows that has most of some tokens of the claim, and how much by weight.
    func bestClause(for tokens: [Int]) -> BestClause? {
        var shares = [Float](repeating: 0, count: polarities.count)
        var entries = [Int](repeating: 0, count: polarities.count)
        var total: Float = 0
        for token in tokens {
            total += claim.weights[token]
            var last = -1
            // Places, and so their clauses, ascend.
            for place in matches[token] where places[place].clause != last {
                last = places[place].clause
                shares[last] += claim.weights[token]
                entries[last] = places[place].entry
            }
        }
        guard total > 0, let most = shares.max(), most > 0, let best = shares.firstIndex(of: most) else { return nil }
        return BestClause(clause: best, entry: entries[best], share: most / total)
    }

    /// Whether a word is written with a small letter somewhere.
    func isOrdinary(_ token: ComparedToken) -> Bool {
        index.ordinary.contains(token.id) || claim.tokens.contains { $0.id == token.id && !$0.isName && !$0.isFirst }
    }

    /// Whether the claim has a word.
    func isClaimed(_ token: ComparedToken) -> Bool {
        claim.tokens.indices.contains { claim.strength($0, token) > 0 }
    }
}
