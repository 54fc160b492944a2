/// How the rows of the matrix are read.
public enum VectorPlan: String, Sendable, Hashable, CaseIterable {
    /// Every row, in float32.
    case exact
    /// A first pass over bytes, a quarter of the memory, whose best candidates are scored in float32.
    case int8
    /// A first pass over bits, a thirty-second of the memory, whose best candidates are scored in float32.
    case binary
}

/// The measured plan that ``HybridIndex`` may use instead of an exact scan.
public struct VectorTuning: Sendable, Hashable, Codable {
    /// The lowest recall@10 with which a plan may be used.
    public static let leastRecall = 0.995

    /// The plan's name.
    public var plan: String
    /// Rows that the first pass keeps.
    public var candidates: Int
    /// The share of the ten nearest of an exact scan that were found, over all queries of the sample.
    public var recallAt10: Double
    /// Queries of the sample.
    public var sample: Int
    /// How many times faster than the exact scan the plan was on this machine.
    public var speedup: Double
    /// The time of the measurement in seconds since 1970.
    public var measuredAt: Int64

    /// Creates a record.
    public init(
        plan: VectorPlan, candidates: Int, recallAt10: Double, sample: Int, speedup: Double, measuredAt: Int64
    ) {
        self.plan = plan.rawValue
        self.candidates = candidates
        self.recallAt10 = recallAt10
        self.sample = sample
        self.speedup = speedup
        self.measuredAt = measuredAt
    }

    /// The plan, when this version knows it and its recall is high enough.
    var usable: VectorPlan? {
        guard recallAt10 >= Self.leastRecall, candidates > 0 else { return nil }
        return VectorPlan(rawValue: plan)
    }
}
