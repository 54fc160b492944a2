/// The figures of several answers of one model.
package struct AnswerSummary: Codable, Sendable, Hashable {
    package var model: String
    /// The prompt or question; nil for all.
    package var subject: String?
    /// The number of answers.
    package var answers: Int
    /// The answers that did not come to their end; the other figures leave them out.
    package var failed: Int
    /// Milliseconds to the first token.
    package var firstToken: Spread?
    /// Tokens a second after the first token.
    package var tokensPerSecond: Spread?
    /// Milliseconds to the end.
    package var total: Spread?
    package var tokens: Spread?
    /// The share of answers with a call of a tool.
    package var callsTools: Double?
    /// The share of calls that are valid; nil without calls.
    package var validCalls: Double?
    /// The share of answers over notes in which the model itself cites a given note; refusals count as citing.
    package var cites: Double?
    /// Citation support: the share of claims that their citations support; nil without claims.
    package var supported: Double?
    /// The share of citations of notes that do not exist; nil without citations.
    package var invents: Double?

    private enum CodingKeys: String, CodingKey {
        case model, subject, answers, failed, total, tokens, cites, supported, invents
        case firstToken = "first_token_ms"
        case tokensPerSecond = "tokens_per_second"
        case callsTools = "calls_tools"
        case validCalls = "valid_calls"
    }

    /// Summarises answers.
    package init(model: String, subject: String? = nil, _ samples: [AnswerSample]) {
        let done = samples.filter(\.isDone)
        self.model = model
        self.subject = subject
        answers = samples.count
        failed = samples.count - done.count
        firstToken = Spread(done.compactMap(\.firstTokenMilliseconds))
        tokensPerSecond = Spread(done.compactMap(\.tokensPerSecond))
        total = Spread(done.compactMap(\.totalMilliseconds))
        tokens = Spread(done.compactMap { $0.completionTokens.map(Double.init) })
        callsTools = Self.share(done.count { $0.toolCalls > 0 }, of: done.count)
        validCalls = Self.share(done.reduce(0) { $0 + $1.validCalls }, of: done.reduce(0) { $0 + $1.toolCalls })
        let cited = done.filter { $0.passages > 0 }
        cites = Self.share(cited.count { $0.citations > $0.invented || $0.isRefusal }, of: cited.count)
        let claiming = done.filter { !$0.isRefusal && $0.passages > 0 }
        supported = Self.share(
            claiming.reduce(0) { $0 + $1.supported }, of: claiming.reduce(0) { $0 + $1.claims })
        invents = Self.share(done.reduce(0) { $0 + $1.invented }, of: done.reduce(0) { $0 + $1.citations })
    }

    static func share(_ part: Int, of whole: Int) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }
}

/// A share as whole percent, `–` for none.
func percent(_ share: Double?) -> String { share.map { fixed($0 * 100, 0) + " %" } ?? "–" }
