/// How the candidates of the two legs are fused into one ranking.
public enum FusionMethod: Sendable, Hashable, CustomStringConvertible {
    /// Reciprocal rank fusion: Σ 1 / (k + rank) (Cormack, Clarke and Büttcher, SIGIR 2009; they use k = 60).
    case rrf(k: Double)
    /// α · vector + (1 − α) · keyword over scores that are min-max normalised for each leg's candidates (Bruch, Gai and
    /// Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023).
    case convex(alpha: Double)
    /// Distribution-based score fusion: convex with equal weights, normalised between mean − 3σ and mean + 3σ of each
    /// leg's candidates (Mazzeschi, 2023). Outliers stay outside 0…1, because clamping would tie the best ones.
    case dbsf

    /// Parses a method's name with an optional parameter after a colon: `rrf`, `rrf:30`, `convex`, `convex:0.4`,
    /// `dbsf`. Returns nil for an unknown name or an invalid parameter.
    public static func parse(_ name: String) -> FusionMethod? {
        let words = name.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        let parameter = words.count == 2 ? Double(words[1]) : nil
        guard words.count == 1 || parameter?.isFinite == true else { return nil }
        switch words[0] {
        case "rrf": return (parameter ?? 60) >= 0 ? .rrf(k: parameter ?? 60) : nil
        case "convex": return (0...1).contains(parameter ?? 0.5) ? .convex(alpha: parameter ?? 0.5) : nil
        case "dbsf": return parameter == nil ? .dbsf : nil
        default: return nil
        }
    }

    /// The name in the form that ``parse(_:)`` reads.
    public var setting: String {
        switch self {
        case .rrf(let k): "rrf:\(k)"
        case .convex(let alpha): "convex:\(alpha)"
        case .dbsf: "dbsf"
        }
    }

    /// The name with its parameter.
    public var description: String {
        switch self {
        case .rrf(let k): "rrf(k=\(k))"
        case .convex(let alpha): "convex(alpha=\(alpha))"
        case .dbsf: "dbsf"
        }
    }

    /// The weights of the vector leg and the keyword leg.
    var weights: (vector: Double, keyword: Double) {
        switch self {
        case .rrf: (1, 1)
        case .convex(let alpha): (alpha, 1 - alpha)
        case .dbsf: (0.5, 0.5)
        }
    }

    /// The normalised scores of a leg's candidates, before its weight.
    ///
    /// - Parameter scores: Best first.
    func normalised(_ scores: [Double]) -> [Double] {
        switch self {
        case .rrf(let k): scores.indices.map { 1 / (k + Double($0 + 1)) }
        case .convex: Self.scaled(scores, from: scores.min() ?? 0, to: scores.max() ?? 0)
        case .dbsf:
            {
                let mean = scores.reduce(0, +) / Double(max(1, scores.count))
                let variance = scores.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, scores.count))
                let reach = 3 * variance.squareRoot()
                return reach > 0 ? scores.map { ($0 - mean + reach) / (2 * reach) } : scores.map { _ in 1 }
            }()
        }
    }

    /// Scales to 0…1. When all scores are equal, each becomes 1.
    private static func scaled(_ scores: [Double], from low: Double, to high: Double) -> [Double] {
        guard high > low else { return scores.map { _ in 1 } }
        return scores.map { ($0 - low) / (high - low) }
    }
}

/// The rank and scores that one leg gives a hit.
public struct LegScore: Sendable, Hashable {
    /// The rank; 1 is the best.
    public var rank: Int
    /// The cosine, or the keyword score.
    public var score: Double
    /// The score after the fusion's normalisation.
    public var normalised: Double
    /// The leg's weight.
    public var weight: Double
}

/// A document of the fused ranking.
struct FusedHit: Sendable {
    var ordinal: Int
    var score: Double
    var vector: LegScore?
    var keyword: LegScore?
}

extension FusionMethod {
    /// Fuses two rankings. A document that a leg did not find gets nothing from that leg. The result is unsorted.
    func fuse(vector: [LegHit], keyword: [LegHit]) -> [FusedHit] {
        var fused: [Int: FusedHit] = [:]
        let weights = weights
        for (index, (hit, share)) in zip(vector, normalised(vector.map(\.score))).enumerated() {
            let leg = LegScore(rank: index + 1, score: hit.score, normalised: share, weight: weights.vector)
            fused[hit.ordinal] = FusedHit(ordinal: hit.ordinal, score: share * weights.vector, vector: leg)
        }
        for (index, (hit, share)) in zip(keyword, normalised(keyword.map(\.score))).enumerated() {
            let leg = LegScore(rank: index + 1, score: hit.score, normalised: share, weight: weights.keyword)
            fused[hit.ordinal, default: FusedHit(ordinal: hit.ordinal, score: 0)].score += share * weights.keyword
            fused[hit.ordinal]?.keyword = leg
        }
        return Array(fused.values)
    }
}
