/// Whether the windows give a value of the claim to something else.
struct BindingCheck: ComparisonCheck {
    let comparison: Comparison

    private static let maxValues = 12
    private static let maxAnchors = 24
    private static let maxOccurrences = 4
    private static let maxRivals = 32

    /// Numbers, names and opposites that the windows have, but give to something else.
    ///
    /// The words of the claim beside a value vote. Each looks for the nearest value of the kind in the windows: when that is
    /// another one, the word votes for a difference. Distances are counted in words; a clause between counts as three, a
    /// sentence as eight.
    func differences() -> [(token: Int, difference: Difference)] {
        var found: [(token: Int, difference: Difference)] = []
        let values = claim.tokens.indices.filter {
            claim.weights[$0] > 0 && !matches[$0].isEmpty && kind($0) != nil && !isTotal($0)
                && !(isName($0) && $0 + 1 < claim.tokens.count && isName($0 + 1))
        }
        for token in values.prefix(Self.maxValues) {
            guard let kind = kind(token) else { continue }
            let rivals = Array(rivals(of: token, kind).prefix(Self.maxRivals))
            if isUnbound(token, kind) || isTurned(token) || (!rivals.isEmpty && votes(token, kind, rivals)) {
                found.append((token, Difference(kind: .exchange, claimed: claim.ranges[token])))
            }
        }
        return found
    }

    /// Whether a number is the whole that the number before it is a part of: `54 of the 90`.
    private func isTotal(_ token: Int) -> Bool {
        guard claim.tokens[token].quantity != nil else { return false }
        var before = token - 1
        while before >= 0, !claim.tokens[before].isContent { before -= 1 }
        return before >= 0 && before < token - 1 && claim.tokens[before].quantity != nil
            && SpecialWords.partitives.contains(String(index.vocabulary.names[claim.tokens[before + 1].id].dropFirst()))
    }

    /// Whether the words beside a value vote for a difference.
    private func votes(_ token: Int, _ kind: ValueKind, _ rivals: [Int]) -> Bool {
        let kin = claim.tokens.indices.filter { other in
            !isTotal(other) && self.kind(other).map { isSame($0, kind) || isSame(kind, $0) } ?? false
        }
        let anchors = claim.tokens.indices.filter { anchor in
            guard !kin.contains(anchor), claim.weights[anchor] > 0, !matches[anchor].isEmpty,
                !SpecialWords.vague.contains(index.vocabulary.names[claim.tokens[anchor].id])
            else { return false }
            // Names hold for their clause; what follows may be said of someone else.
            if kind == .name, claim.tokens[anchor].clause != claim.tokens[token].clause { return false }
            // A word nearer to another value of the claim belongs to that one.
            let others = kin.filter { $0 != token }.map { distanceInClaim($0, anchor) }
            return distanceInClaim(token, anchor) < others.min() ?? .max
        }
        var same: Float = 0
        var other: Float = 0
        for anchor in anchors.sorted(by: { distanceInClaim(token, $0) < distanceInClaim(token, $1) }).prefix(
            Self.maxAnchors)
        {
            let vote = vote(of: anchor, for: token, against: rivals)
            if vote > 0 { same += vote } else { other -= vote }
        }
        return other > 1.5 * same && other > 0.25
    }

    /// The vote of a word: positive when the value is nearest to it in the windows, negative when a rival is.
    private func vote(of anchor: Int, for token: Int, against rivals: [Int]) -> Float {
        var best: (own: Int, rival: Int, isShared: Bool) = (.max, .max, false)
        let isName = kind(token) == .name
        for place in matches[anchor].prefix(Self.maxOccurrences) {
            // A sentence without the name may mean it by `he`.
            if isName, !matches[token].contains(where: { places[$0].entry == places[place].entry }) { continue }
            let own = matches[token].prefix(Self.maxRivals).min { distance($0, place) < distance($1, place) }
            let rival = rivals.min { distance($0, place) < distance($1, place) }
            guard let own, let rival else { continue }
            let nearest = min(best.own, best.rival)
            best.own = min(best.own, distance(own, place))
            best.rival = min(best.rival, distance(rival, place))
            // What stands before both may belong to both: `tickets cost 18 euros today, 24 tomorrow`.
            if min(best.own, best.rival) < nearest { best.isShared = place < own && place < rival }
        }
        guard best.own != best.rival else { return 0 }
        var weight = claim.weights[anchor] / (1 + Float(distanceInClaim(token, anchor)) / 10)
        if kind(anchor) != nil { weight *= 3 } else if claim.tokens[anchor].isNounLike { weight *= 2 }
        if best.isShared || min(best.own, best.rival) > 8 { weight *= 0.3 }
        // The noun that the value counts or describes.
        if anchor == token + 1 { weight *= 0.3 }
        return best.own < best.rival ? weight : -weight
    }

    /// Places of other values of a kind. Parts of one name are no rivals.
    private func rivals(of token: Int, _ kind: ValueKind) -> [Int] {
        let own = Set(matches[token])
        // Not the whole of a part, not the other number of a pair: `148 over 92`.
        let totals = Set(
            claim.tokens.indices.filter { other in
                isTotal(other)
                    || other != token && abs(other - token) < 6
                        && claim.tokens[other].clause == claim.tokens[token].clause
                        && claim.tokens[other].quantity != nil
                        && claim.tokens[token].quantity != nil
            }.flatMap { matches[$0] })
        return places.indices.filter { place in
            guard !own.contains(place), !totals.contains(place), claim.strength(token, places[place].token) == 0,
                let other = self.kind(at: place), isSame(kind, other)
            else { return false }
            return kind != .name || !(own.contains(place - 1) || own.contains(place + 1))
        }
    }

    private func distance(_ one: Int, _ other: Int) -> Int {
        let (left, right) = (places[one], places[other])
        return abs(left.position - right.position) + 3 * min(3, abs(left.clause - right.clause))
            + 8 * abs(left.entry - right.entry)
    }

    private func distanceInClaim(_ one: Int, _ other: Int) -> Int {
        abs(one - other) + 3 * abs(claim.tokens[one].clause - claim.tokens[other].clause)
    }

    /// Whether all that the windows say with the claim's other words stands before the name occurs at all.
    func isUnbound(_ token: Int, _ kind: ValueKind) -> Bool {
        guard kind == .name, let first = matches[token].map({ places[$0].entry }).min() else { return false }
        let others = claim.tokens.indices.filter { $0 != token && claim.weights[$0] > 0 }.flatMap { matches[$0] }
        return !others.isEmpty && others.allSatisfy { places[$0].entry < first }
    }

    /// Whether the windows name a value only as the goal and the claim as the origin, or the reverse; or whether a name that
    /// begins the claim is a goal or an origin in the windows.
    func isTurned(_ token: Int) -> Bool {
        let window = places.map(\.token)
        let theirs = matches[token].map { direction(window, $0) }
        guard let first = theirs.first, let there = first, theirs.allSatisfy({ $0 == first }) else { return false }
        if let here = direction(claim.tokens, token) { return here != there }
        // The window may go on with `he`.
        let entries = Set(matches[token].map { places[$0].entry })
        let isMeant = claim.tokens.indices.dropFirst().contains { other in
            claim.weights[other] > 0 && matches[other].contains { entries.contains(places[$0].entry) }
        }
        return token == 0 && isName(token) && isMeant
            && claim.weights.indices.dropFirst().allSatisfy {
                claim.weights[$0] == 0 || !matches[$0].isEmpty
            }
    }

    /// Whether the word before a token makes it a goal (true) or an origin (false); nil for other words.
    private func direction(_ tokens: [ComparedToken], _ place: Int) -> Bool? {
        guard tokens.indices.contains(place - 1), tokens[place - 1].kind == .function else { return nil }
        let word = String(index.vocabulary.names[tokens[place - 1].id].dropFirst())
        return SpecialWords.goals.contains(word) ? true : SpecialWords.origins.contains(word) ? false : nil
    }
}
