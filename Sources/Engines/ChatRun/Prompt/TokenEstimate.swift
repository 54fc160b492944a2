/// Estimates the tokens of a text for one model without its tokenizer, rather too high than too low.
///
/// The base is one token for four ASCII bytes or three other bytes. A factor on the base follows the counts that the
/// model returns, as an exponentially weighted mean. The mean deviation is estimated the same way and added as a
/// margin.
package struct TokenEstimate: Sendable, Hashable {
    /// The weight of a new count in the means.
    private static let weight = 0.2
    /// The fewest base tokens of a text whose count is used.
    private static let leastBase = 64.0
    /// The plausible ratios of count to base; others are ignored. A model that counts only uncached tokens returns far
    /// too few.
    private static let believed = 0.4...4.0
    /// The margin beside the deviation, and the largest margin.
    private static let (leastMargin, mostMargin) = (0.02, 0.25)

    /// Tokens for each base token.
    private var factor = 1.0
    /// The mean deviation of counts from the estimate, as a fraction of the estimate.
    private var deviation = 0.1
    /// The number of counts used.
    package private(set) var observations = 0

    /// Creates an estimate without any counts.
    package init() {}

    /// ASCII bytes for each token, without the margin.
    package var bytesPerToken: Double { 4 / factor }

    /// The estimated tokens of a text; 0 for an empty one.
    package func tokens(_ text: String) -> Int {
        let tokens = Self.base(text) * factor * (1 + min(Self.mostMargin, Self.leastMargin + deviation))
        return Int(min(tokens, 1e12).rounded(.up))
    }

    /// Updates the estimate with a count that the model returned.
    ///
    /// - Parameters:
    ///   - count: The model's count of the text's tokens.
    ///   - text: The text as sent, with the additions of its template, if known.
    package mutating func learn(_ count: Int, of text: String) {
        let base = Self.base(text)
        guard base >= Self.leastBase else { return }
        let ratio = Double(count) / base
        guard Self.believed.contains(ratio) else { return }
        let weight = observations == 0 ? 0.5 : Self.weight
        deviation += weight * (abs(ratio - factor) / factor - deviation)
        factor += weight * (ratio - factor)
        observations = min(observations + 1, 1_000_000)
    }

    private static func base(_ text: String) -> Double {
        var (ascii, other) = (0, 0)
        for byte in text.utf8 { if byte < 0x80 { ascii += 1 } else { other += 1 } }
        return Double(ascii) / 4 + Double(other) / 3
    }
}

/// The estimates of the most recently used models.
package struct TokenEstimates: Sendable {
    /// The maximum number of models; the one updated longest ago is evicted first.
    package static let modelLimit = 64

    private var estimates: [String: (estimate: TokenEstimate, turn: Int)] = [:]
    private var turn = 0

    /// Creates an empty set of estimates.
    package init() {}

    /// The estimate for a model, by its full name.
    package subscript(model: String) -> TokenEstimate { estimates[model]?.estimate ?? TokenEstimate() }

    /// Updates the estimate of a model. See ``TokenEstimate/learn(_:of:)``.
    package mutating func learn(_ count: Int, of text: String, model: String) {
        var estimate = self[model]
        estimate.learn(count, of: text)
        turn &+= 1
        estimates[model] = (estimate, turn)
        if estimates.count > Self.modelLimit, let oldest = estimates.min(by: { $0.value.turn < $1.value.turn }) {
            estimates[oldest.key] = nil
        }
    }
}
