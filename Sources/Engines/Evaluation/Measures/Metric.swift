/// A measure of one ranking, between 0 and 1, with the same values as `trec_eval`.
package enum Metric: Sendable, Hashable {
    /// Normalised discounted cumulative gain over the first `k` (Järvelin and Kekäläinen, TOIS 2002, with the discount
    /// log₂(rank + 1)). The gain is the grade, and the ideal ranking holds all judged documents. `ndcg_cut_k`.
    case ndcg(Int)
    /// Average precision over the whole ranking; the mean over queries is MAP (Buckley and Voorhees, SIGIR 2000). `map`.
    case map
    /// One over the rank of the first relevant document among the first `k`, or in the whole ranking (Voorhees,
    /// TREC-8 1999). `recip_rank`.
    case mrr(Int?)
    /// The share of relevant documents among the first `k`. `recall_k`.
    case recall(Int)
    /// The share of the first `k` that is relevant. A shorter ranking is divided by `k` too. `P_k`.
    case precision(Int)

    /// The number of ranks that count; nil for the whole ranking. Below 1 every value is 0.
    package var cut: Int? {
        switch self {
        case .ndcg(let k), .recall(let k), .precision(let k): k
        case .mrr(let k): k
        case .map: nil
        }
    }

    /// The metrics that an evaluation reports by default.
    package static let defaults: [Metric] = [.ndcg(10), .recall(100), .mrr(10), .map, .precision(10)]

    /// Reads `ndcg@10`, `map`, `mrr`, `mrr@10`, `recall@100` or `p@10`.
    ///
    /// - Throws: `EvaluationError` for an unknown name, and for a cut that is missing or below 1.
    package init(parsing text: String) throws {
        guard let metric = Metric(rawValue: text) else {
            throw EvaluationError("`\(text)` is not a metric; use ndcg@K, map, mrr, mrr@K, recall@K or p@K")
        }
        self = metric
    }
}

extension Metric: RawRepresentable, CustomStringConvertible, LosslessStringConvertible {
    /// The name with its cut, such as `ndcg@10`.
    package var rawValue: String {
        switch self {
        case .ndcg(let k): "ndcg@\(k)"
        case .map: "map"
        case .mrr(let k): k.map { "mrr@\($0)" } ?? "mrr"
        case .recall(let k): "recall@\(k)"
        case .precision(let k): "p@\(k)"
        }
    }

    /// Returns nil for an unknown metric; `init(parsing:)` gives the reason.
    package init?(rawValue: String) {
        let parts = rawValue.lowercased().split(separator: "@", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2 else { return nil }
        guard parts.count == 2 else {
            switch name {
            case "map": self = .map
            case "mrr": self = .mrr(nil)
            default: return nil
            }
            return
        }
        guard parts[1].allSatisfy({ $0.isASCII && $0.isNumber }), let k = Int(parts[1]), k > 0 else { return nil }
        switch name {
        case "ndcg": self = .ndcg(k)
        case "mrr": self = .mrr(k)
        case "recall": self = .recall(k)
        case "p": self = .precision(k)
        default: return nil
        }
    }

    /// Returns nil for an unknown metric.
    package init?(_ description: String) { self.init(rawValue: description) }

    /// The name with its cut, such as `ndcg@10`.
    package var description: String { rawValue }
}

extension Metric: Comparable {
    /// The order in reports: the defaults first, in their own order, then by kind and cut.
    package static func < (left: Metric, right: Metric) -> Bool {
        left.place.lexicographicallyPrecedes(right.place)
    }

    private var place: [Int] {
        let rank = Metric.defaults.firstIndex(of: self) ?? Metric.defaults.count
        return switch self {
        case .ndcg(let k): [rank, 0, k]
        case .recall(let k): [rank, 1, k]
        case .mrr(let k): [rank, 2, k ?? .max]
        case .map: [rank, 3, 0]
        case .precision(let k): [rank, 4, k]
        }
    }
}

/// In JSON a metric is its name, also as a key of an object.
extension Metric: Codable, CodingKeyRepresentable {}
