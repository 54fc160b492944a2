/// Which endpoint a request goes to: state in, choice out.
///
/// Among the endpoints that are in order: those that hold the model; if none is known to, those of which it is not
/// known; else all. If none is in order, the same among all that are left: a request that fails tells its client more
/// than one that is not tried. Of these the one with the least in flight. One that would have to load the model first
/// counts as having ``coldCost`` more, so that a model stays where it is loaded until that place is busy. Ties go to the
/// one that was chosen longest ago.
enum EndpointChoice {
    /// Requests in flight that are worth a load.
    static let coldCost = 4

    /// What is known of an endpoint and a model.
    enum Holding: Sendable, Hashable {
        /// It is in memory.
        case loaded
        /// It is on disk.
        case stored
        /// The endpoint does not have it.
        case absent
        /// The endpoint was not asked yet, or the request names no model.
        case unknown
    }

    /// An endpoint as far as the choice is concerned.
    struct Candidate: Sendable, Hashable {
        /// Whether its breaker lets requests through.
        var isInOrder: Bool
        var holding: Holding
        var inFlight: Int
        /// When it was chosen last, by a counter; 0 for never.
        var lastChosen: UInt64
        /// Whether this request may not go there, for example because it failed there already.
        var isExcluded = false

        fileprivate var cost: Int { holding == .stored ? inFlight + EndpointChoice.coldCost : inFlight }
    }

    /// The index of the candidate to take; nil when all are excluded.
    static func choose(_ candidates: [Candidate]) -> Int? {
        var best: (index: Int, rank: Int)?
        for (index, candidate) in candidates.enumerated() where !candidate.isExcluded {
            let rank = rank(of: candidate)
            guard let current = best else {
                best = (index, rank)
                continue
            }
            let other = candidates[current.index]
            if (rank, candidate.cost, candidate.lastChosen) < (current.rank, other.cost, other.lastChosen) {
                best = (index, rank)
            }
        }
        return best?.index
    }

    /// The group that a candidate is in; a lower one goes first.
    private static func rank(of candidate: Candidate) -> Int {
        let holding =
            switch candidate.holding {
            case .loaded, .stored: 0
            case .unknown: 1
            case .absent: 2
            }
        return candidate.isInOrder ? holding : holding + 3
    }
}
