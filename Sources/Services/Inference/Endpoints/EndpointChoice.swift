/// Chooses the endpoint of a request: state in, choice out.
///
/// Healthy endpoints come first. Among them, those that hold the model precede those whose models are unknown, and then
/// the rest. Without a healthy endpoint the unhealthy ones rank the same way: a failed request tells its client more
/// than an untried one. Within a rank the fewest requests in flight win. An endpoint that must load the model first
/// counts ``coldCost`` more, so that a model stays where it is loaded until that endpoint is busy; one that has not computed
/// the beginning of the prompt counts ``coldPromptCost`` more. Ties go to the endpoint whose last choice is the oldest.
enum EndpointChoice {
    /// The cost of a load, in requests in flight.
    static let coldCost = 4
    /// The cost of computing a prompt from its beginning, in requests in flight.
    static let coldPromptCost = 1

    /// What is known of a model on an endpoint.
    enum Holding: Sendable, Hashable {
        /// The model is in memory.
        case loaded
        /// The model is on disk only.
        case stored
        /// The model is not installed.
        case absent
        /// The endpoint's models are unknown, or the request names no model.
        case unknown
    }

    /// The state of an endpoint that the choice depends on.
    struct Candidate: Sendable, Hashable {
        /// Whether the breaker lets requests through.
        var isHealthy: Bool
        var holding: Holding
        var inFlight: Int
        /// The counter value of the last choice; 0 for never.
        var lastChosen: UInt64
        /// Whether this request must not go there, for example because it failed there.
        var isExcluded = false
        /// Whether another endpoint has computed the beginning of the prompt.
        var isColdPrompt = false

        fileprivate var cost: Int {
            inFlight + (holding == .stored ? EndpointChoice.coldCost : 0)
                + (isColdPrompt ? EndpointChoice.coldPromptCost : 0)
        }
    }

    /// Returns the index of the chosen candidate; nil when all are excluded.
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

    /// Returns the rank of a candidate; lower ranks are chosen first.
    private static func rank(of candidate: Candidate) -> Int {
        let holding =
            switch candidate.holding {
            case .loaded, .stored: 0
            case .unknown: 1
            case .absent: 2
            }
        return candidate.isHealthy ? holding : holding + 3
    }
}
