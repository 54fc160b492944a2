/// Chooses what goes into a prompt, by rule:
///
/// 1. The instructions and the question are always in it; too long, they are an error.
/// 2. The summary, when it takes a quarter of what is left at most.
/// 3. Passages by rank, while they take ``passageShare`` of what is left then. One that does not fit is skipped.
/// 4. The history from the latest message back, while it fits, beginning with a message of the user's.
/// 5. Passages that were skipped, by rank, when there is still room.
///
/// What does not fit is listed in the plan. Time is linear in the text that is looked at.
package struct ContextBudget: Sendable, Hashable {
    /// Tokens that a message's role and marks take.
    package static let messageTokens = 6
    /// Tokens that a passage's number, title and fences take.
    package static let passageTokens = 24

    /// Tokens of the model's context.
    package var context: Int
    /// Tokens of the context that are left for the answer.
    package var answer: Int
    /// How the model's tokens are estimated.
    package var estimate: TokenEstimate
    /// The part of the room that passages have before the history, 0 to 1.
    package var passageShare = 0.6

    /// Creates a budget.
    package init(context: Int, answer: Int, estimate: TokenEstimate) {
        self.context = context
        self.answer = answer
        self.estimate = estimate
    }

    /// Plans a prompt.
    ///
    /// - Throws: ``PromptOverflow`` when the instructions and the question do not fit.
    package func plan(_ parts: PromptParts) throws(PromptOverflow) -> PromptPlan {
        let available = min(max(0, context), Self.most) - min(max(0, answer), Self.most)
        let needed = message(parts.system) + message(parts.question)
        guard needed <= available else { throw PromptOverflow(needed: needed, available: max(0, available)) }
        var left = available - needed
        var leftOut: [PromptPlan.LeftOut] = []

        let summary = parts.summary.map(message) ?? 0
        let usesSummary = parts.summary != nil && summary <= left / 4
        if usesSummary { left -= summary } else if parts.summary != nil { leftOut.append(.summary(tokens: summary)) }

        let passages = parts.passages.map { estimate.tokens($0) + Self.passageTokens }
        var share = Int(Double(left) * min(max(0, passageShare), 1))
        left -= share
        let chosen = Self.choose(passages.indices, passages, from: &share)
        left += share

        let history = latest(parts.history, from: &left)
        if history.lowerBound > 0 { leftOut.append(.history(0..<history.lowerBound)) }

        let known = Set(chosen)
        let later = Self.choose(passages.indices.filter { !known.contains($0) }, passages, from: &left)
        let all = known.union(later)
        for rank in passages.indices where !all.contains(rank) {
            leftOut.append(.passage(rank, tokens: passages[rank]))
        }
        return PromptPlan(
            usesSummary: usesSummary, history: history, passages: all.sorted(), tokens: available - left,
            leftOut: leftOut)
    }

    /// A context at most, so that sums cannot overflow.
    private static let most = 1 << 40

    private func message(_ text: String) -> Int { estimate.tokens(text) + Self.messageTokens }

    /// Those of some passages that fit, by rank.
    private static func choose(_ ranks: some Sequence<Int>, _ tokens: [Int], from left: inout Int) -> [Int] {
        ranks.filter { rank in
            guard tokens[rank] <= left else { return false }
            left -= tokens[rank]
            return true
        }
    }

    /// The latest messages that fit, from one of the user's on.
    private func latest(_ history: [PromptParts.Message], from left: inout Int) -> Range<Int> {
        var room = left
        var start = history.count
        for index in history.indices.reversed() {
            room -= message(history[index].text)
            guard room >= 0 else { break }
            guard history[index].isUser else { continue }
            start = index
            left = room
        }
        return start..<history.count
    }
}
