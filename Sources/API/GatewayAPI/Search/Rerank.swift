/// Whether a search asks a reranker: `true`, `false`, or an object with the number of candidates.
public struct RerankOption: Codable, Sendable, Hashable, ExpressibleByBooleanLiteral {
    /// Whether the reranker is asked.
    public var isOn: Bool
    /// The number of results that are reordered; the server's setting when absent.
    public var candidates: Int?

    /// Creates an option.
    public init(isOn: Bool, candidates: Int? = nil) {
        self.isOn = isOn
        self.candidates = candidates
    }

    /// Creates an option without a number of candidates.
    public init(booleanLiteral value: Bool) { self.init(isOn: value) }

    private struct Choice: Codable {
        var candidates: Int?
    }

    /// Decodes a boolean, or an object with `candidates`, which means yes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let isOn = try? container.decode(Bool.self) {
            self.init(isOn: isOn)
            return
        }
        do {
            self.init(isOn: true, candidates: try container.decode(Choice.self).candidates)
        } catch {
            throw DecodingError.typeMismatch(
                RerankOption.self,
                .init(
                    codingPath: decoder.codingPath, debugDescription: "expected true, false or {\"candidates\": number}"
                ))
        }
    }

    /// Encodes an option without candidates as a plain boolean.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isOn, let candidates {
            try container.encode(Choice(candidates: candidates))
        } else {
            try container.encode(isOn)
        }
    }
}

/// What a reranker did with the results of one search.
public struct RerankReport: Codable, Sendable, Hashable {
    /// The model, as the setting names it; absent when none is set.
    public var model: String?
    /// Whether scores of the model decided the order. If not, the results have the order of the search.
    public var applied: Bool
    /// The number of results that could be reordered.
    public var candidates: Int
    /// The number of them with a score; the others keep their places.
    public var scored: Int
    /// Private results, which were not sent because the model may run on another machine.
    public var withheld: Int
    /// Why the model decided nothing; absent when it did.
    public var reason: String?
    /// The time of the call, in milliseconds.
    public var milliseconds: Double

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case model, applied, candidates, scored, withheld, reason
        case milliseconds = "ms"
    }

    /// Creates a report.
    public init(
        model: String?, applied: Bool, candidates: Int, scored: Int, withheld: Int = 0, reason: String?,
        milliseconds: Double
    ) {
        self.model = model
        self.applied = applied
        self.candidates = candidates
        self.scored = scored
        self.withheld = withheld
        self.reason = reason
        self.milliseconds = milliseconds
    }
}

/// A result's part in reranking.
public struct RerankedPlace: Codable, Sendable, Hashable {
    /// The model's score, whose scale is the model's; absent when it gave none.
    public var score: Double?
    /// The rank before reranking, from 1.
    public var rank: Int

    /// Creates a place.
    public init(score: Double?, rank: Int) {
        self.score = score
        self.rank = rank
    }
}
