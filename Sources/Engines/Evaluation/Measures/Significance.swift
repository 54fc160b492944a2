import Foundation

/// Tests whether one system is better than another, from the values of both for the same queries.
package struct Significance: Codable, Sendable, Hashable {
    /// How many queries were compared.
    package var queries: Int
    /// The mean of A − B.
    package var meanDifference: Double
    /// The lower end of the 95 % confidence interval of the mean difference.
    package var confidenceLow: Double
    /// The upper end of the 95 % confidence interval of the mean difference.
    package var confidenceHigh: Double
    /// Two-sided: the probability of a difference at least this large if both systems were equally good.
    package var pValue: Double
    /// Whether the p-value comes from all possible sign flips instead of a sample.
    package var isExact: Bool
    /// The smallest mean difference that this many queries would show in four of five experiments.
    package var minimumDetectable: Double
    /// A sentence when the difference is smaller than ``minimumDetectable``.
    package var warning: String?

    /// The largest number of queries for which all sign flips are tried.
    static let exactLimit = 16

    private enum CodingKeys: String, CodingKey {
        case queries, warning
        case meanDifference = "mean_difference"
        case confidenceLow = "confidence_low"
        case confidenceHigh = "confidence_high"
        case pValue = "p_value"
        case isExact = "is_exact"
        case minimumDetectable = "minimum_detectable"
    }

    /// Compares the values of A and B by query id.
    ///
    /// - The confidence interval is a percentile bootstrap over queries (Efron and Tibshirani 1993; for retrieval:
    ///   Sakai, SIGIR 2006).
    /// - The p-value is Fisher's randomisation test, which flips the signs of differences at random (Smucker, Allan and
    ///   Carterette, CIKM 2007). It is exact up to 16 queries, else sampled: (hits + 1) / (samples + 1) keeps it above
    ///   0 (Phipson and Smyth 2010).
    /// - The minimum detectable difference is 2.8 · sd / √n: 1.96 + 0.84 standard errors, for α = 0.05 and 80 % power
    ///   (Sakai, "Topic set size design", Information Retrieval Journal 2016).
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same figures on every platform.
    ///   - samples: The number of samples of the bootstrap, and of the sampled test.
    /// - Throws: `EvaluationError` when there are no queries, and when A and B have values for different queries.
    package static func compare(
        _ a: [String: Double], _ b: [String: Double], seed: UInt64 = 1, samples: Int = 10_000
    ) throws -> Significance {
        guard !a.isEmpty else { throw EvaluationError("there are no queries to compare") }
        guard Set(a.keys) == Set(b.keys) else {
            throw EvaluationError("the two systems have values for different queries: \(a.count) and \(b.count)")
        }
        guard samples > 0 else { throw EvaluationError("a comparison needs at least one sample") }
        let ids = a.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let differences = ids.map { (a[$0] ?? 0) - (b[$0] ?? 0) }
        let interval = bootstrapMean(differences, seed: seed, samples: samples)
        let isExact = differences.count <= exactLimit
        let minimum = minimumDetectable(differences)
        let mean = Self.mean(differences)
        return Significance(
            queries: differences.count, meanDifference: mean, confidenceLow: interval.low,
            confidenceHigh: interval.high,
            pValue: isExact
                ? exactPValue(differences) : sampledPValue(differences, seed: seed &+ 1, samples: samples),
            isExact: isExact, minimumDetectable: minimum,
            warning: abs(mean) < minimum
                ? "The difference of \(signed(mean, 3)) is smaller than \(fixed(minimum, 3)), the least that "
                    + "\(differences.count) queries show reliably (80 % power): its size may differ on other queries."
                : nil)
    }

    /// The percentile bootstrap 95 % interval of a mean.
    static func bootstrapMean(
        _ values: [Double], seed: UInt64, samples: Int = 10_000
    ) -> (low: Double, high: Double) {
        guard !values.isEmpty else { return (0, 0) }
        var random = SplitMix64(seed: seed)
        var means: [Double] = []
        means.reserveCapacity(samples)
        for _ in 0..<samples {
            var sum = 0.0
            for _ in 0..<values.count { sum += values[random.next(below: values.count)] }
            means.append(sum / Double(values.count))
        }
        means.sort()
        // Nearest rank, the same distance from both ends.
        let cut = samples * 25 / 1000
        return (means[cut], means[samples - 1 - cut])
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    /// The minimum detectable difference. One query has no spread to estimate, so it detects nothing.
    private static func minimumDetectable(_ differences: [Double]) -> Double {
        // Values of metrics are at most 1, so no mean difference is larger.
        guard differences.count > 1 else { return 1 }
        let mean = mean(differences)
        let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return 2.8 * (squares / Double(differences.count - 1)).squareRoot() / Double(differences.count).squareRoot()
    }

    /// The bound for "at least as large as observed", with room for the rounding of sums in any order.
    private static func bar(_ differences: [Double]) -> Double {
        abs(differences.reduce(0, +)) - 1e-10 * max(1, differences.reduce(0) { $0 + abs($1) })
    }

    private static func exactPValue(_ differences: [Double]) -> Double {
        let bar = bar(differences)
        let flips = 1 << differences.count
        var hits = 0
        for mask in 0..<flips {
            var sum = 0.0
            for (index, difference) in differences.enumerated() {
                sum += mask >> index & 1 == 0 ? difference : -difference
            }
            if abs(sum) >= bar { hits += 1 }
        }
        return Double(hits) / Double(flips)
    }

    private static func sampledPValue(_ differences: [Double], seed: UInt64, samples: Int) -> Double {
        let bar = bar(differences)
        var random = SplitMix64(seed: seed)
        var hits = 0
        for _ in 0..<samples {
            var (sum, bits) = (0.0, UInt64(0))
            for (index, difference) in differences.enumerated() {
                if index % 64 == 0 { bits = random.next() }
                sum += bits & 1 == 0 ? difference : -difference
                bits >>= 1
            }
            if abs(sum) >= bar { hits += 1 }
        }
        return Double(hits + 1) / Double(samples + 1)
    }
}
