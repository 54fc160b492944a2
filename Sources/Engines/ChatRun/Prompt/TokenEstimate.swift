/// Estimates the tokens of a text for one model, without its tokenizer, rather too high than too low.
///
/// The base is four ASCII bytes, or three others, to a token. A factor on it follows the counts that the model returns, as
/// an exponentially weighted mean; so does the deviation, which is added as a margin.
package struct TokenEstimate: Sendable, Hashable {
    /// Weight of a new count in the means.
    private static let weight = 0.2
    /// Base tokens of a text from which its count says enough.
    private static let leastBase = 64.0
    /// Ratios of counts to the base that are believed. A model that counts only what was not cached returns far too few.
    private static let believed = 0.4...4.0
    /// Margin beside the deviation, and the largest margin.
    private static let (leastMargin, mostMargin) = (0.02, 0.25)

    /// Tokens for each token of the base.
    private var factor = 1.0
    /// Mean deviation of counts from the estimate, as a part of it.
    private var deviation = 0.1
    /// Counts that were learnt from.
    package private(set) var observations = 0

    /// An estimate that knows nothing of its model.
    package init() {}

    /// ASCII bytes to a token, without the margin.
    package var bytesPerToken: Double { 4 / factor }

    /// The tokens of a text, 0 for an empty one.
    package func tokens(_ text: String) -> Int {
        let tokens = Self.base(text) * factor * (1 + min(Self.mostMargin, Self.leastMargin + deviation))
        return Int(min(tokens, 1e12).rounded(.up))
    }

    /// Learns from a count that the model returned.
    ///
    /// - Parameters:
    ///   - count: Tokens of the text as the model counted them.
    ///   - text: The text as it was sent, with what its template adds as far as that is known.
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

/// The estimates of the models that were used last.
package struct TokenEstimates: Sendable {
    /// Models that are remembered; the one that was learnt about longest ago is forgotten first.
    package static let modelLimit = 64

    private var estimates: [String: (estimate: TokenEstimate, turn: Int)] = [:]
    private var turn = 0

    /// Starts without knowledge.
    package init() {}

    /// The estimate for a model, by its full name.
    package subscript(model: String) -> TokenEstimate { estimates[model]?.estimate ?? TokenEstimate() }

    /// Learns from a count that a model returned. See ``TokenEstimate/learn(_:of:)``.
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
