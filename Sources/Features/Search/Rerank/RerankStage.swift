package import Access
package import GatewayAPI
package import Inference
import Text

/// The last step of a search: a model reorders the best results. It drops none and adds none.
///
/// Notes and books share it. Without a setting it does nothing, and says so to a search that wants it.
package struct RerankStage: Sendable {
    /// The model; nil when none is set.
    package let reranker: Reranker?
    /// Whether a note must not leave the user's machines.
    private let isPrivate: @Sendable (Note) -> Bool

    /// A stage without a model.
    package static let none = RerankStage(nil) { _ in true }

    package init(_ reranker: Reranker?, isPrivate: @escaping @Sendable (Note) -> Bool) {
        self.reranker = reranker
        self.isPrivate = isPrivate
    }

    package struct Candidate: Sendable {
        /// What comes before the text, such as the title; may be empty.
        package var heading: String
        package var text: String
        /// Whether it must not leave the user's machines.
        package var isPrivate: Bool

        package init(heading: String, text: String, isPrivate: Bool) {
            self.heading = heading
            self.text = text
            self.isPrivate = isPrivate
        }
    }

    /// The new order of candidates.
    package struct Reordered: Sendable {
        /// The places before, each once.
        package var order: [Int]
        /// By place before: the score; nil for none.
        package var scores: [Double?]
        package var report: RerankReport

        /// The part of the candidate that had a place before.
        package func place(_ before: Int) -> RerankedPlace? {
            report.applied ? RerankedPlace(score: scores[before], rank: before + 1) : nil
        }
    }

    /// The number of results that a search lets the model reorder; nil when it does not ask the model.
    ///
    /// - Parameter usually: Whether a search that says nothing asks the model, if one is set.
    package func candidates(_ option: RerankOption?, usually: Bool) -> Int? {
        guard option?.isOn ?? (usually && reranker != nil) else { return nil }
        return min(Reranker.maxCandidates, option?.candidates ?? reranker?.options.candidates ?? 1)
    }

    /// The calls of the model by result, and whether it is paused; nil when none is set.
    package var figures: (calls: [(result: String, count: Int)], isPaused: Bool)? {
        reranker.map { reranker in
            let counts = reranker.counts
            return (Reranker.Result.allCases.map { ($0.rawValue, counts[$0] ?? 0) }, reranker.isPaused)
        }
    }

    /// The choice for a query that may tell of private texts, as one that a model wrote may: no, if the reranker may run on
    /// another machine.
    package var optionForPrivate: RerankOption? {
        get async { await reranker?.isLocal == false ? false : nil }
    }

    /// Whether a note must not be sent to the model.
    func withholds(_ note: Note) -> Bool { isPrivate(note) }

    /// Asks the model for the order of candidates. When it gives none, they keep theirs, and the report says why.
    ///
    /// - Parameter account: The caller, for a fair share of the upstream, and the payer.
    /// - Throws: `CancellationError` only.
    package func reorder(
        _ candidates: [Candidate], for query: String, account: TokenAccount
    ) async throws -> Reordered {
        var result = Reordered(
            order: Array(candidates.indices), scores: Array(repeating: nil, count: candidates.count),
            report: RerankReport(
                model: reranker?.options.model, applied: false, candidates: candidates.count, scored: 0, reason: nil,
                milliseconds: 0))
        guard let reranker else {
            result.report.reason = "no reranker is set; set SELENE_RERANK_MODEL"
            return result
        }
        let hasPrivate = candidates.contains(where: \.isPrivate)
        let withholds = hasPrivate ? await !reranker.isLocal : false
        let sent = candidates.indices.filter { !withholds || !candidates[$0].isPrivate }
        result.report.withheld = candidates.count - sent.count
        if let reason = Self.reasonNotToAsk(query, sent: sent.count, account) {
            result.report.reason = reason
            return result
        }
        let texts = sent.map { place in
            PassageCutter.beginning(
                of: candidates[place].text, under: candidates[place].heading, most: reranker.options.textBytes)
        }
        let started = ContinuousClock.now
        let outcome = try await reranker.score(query, texts, for: account.caller)
        result.report.milliseconds = (ContinuousClock.now - started).milliseconds
        account.charge(outcome.tokens, of: reranker.options.model)
        for (place, score) in zip(sent, outcome.scores) { result.scores[place] = score }
        result.order = RerankOrder.places(by: result.scores)
        result.report.scored = result.scores.count { $0 != nil }
        result.report.applied = outcome.result == .scored
        result.report.reason = outcome.reason
        return result
    }

    private static func reasonNotToAsk(_ query: String, sent: Int, _ account: TokenAccount) -> String? {
        if query.allSatisfy(\.isWhitespace) { return "the search has no query in words" }
        if sent < 2 { return "fewer than two results may be sent to the model" }
        return account.isSpent ? "this key's tokens of the day are used up" : nil
    }
}
