/// Chooses the parts of a prompt in this order:
///
/// 1. The instructions and the question are always included; if they are too long, planning fails.
/// 2. The summary is included if it takes at most a quarter of the remaining room.
/// 3. Passages are included by rank, up to ``passageShare`` of the remaining room. Passages that do not fit are
///    skipped.
/// 4. The history is included from the latest message back, while it fits, beginning with a user's message.
/// 5. Skipped passages are included by rank, if they now fit.
///
/// The plan lists all parts left out. Time is linear in the text examined.
package struct ContextBudget: Sendable, Hashable {
    /// Tokens for a message's role and marks.
    package static let messageTokens = 6
    /// Tokens for a passage's number, title and fences.
    package static let passageTokens = 24

    /// The size of the model's context in tokens.
    package var context: Int
    /// The part of the context reserved for the answer, in tokens.
    package var answer: Int
    /// The token estimate of the model.
    package var estimate: TokenEstimate
    /// The share of the remaining room for passages, 0 to 1; the history comes after them.
    package var passageShare = 0.6

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

    /// The largest context, so that sums cannot overflow.
    private static let most = 1 << 40

    private func message(_ text: String) -> Int { estimate.tokens(text) + Self.messageTokens }

    /// Selects the passages that fit, by rank.
    private static func choose(_ ranks: some Sequence<Int>, _ tokens: [Int], from left: inout Int) -> [Int] {
        ranks.filter { rank in
            guard tokens[rank] <= left else { return false }
            left -= tokens[rank]
            return true
        }
    }

    /// The latest messages that fit, beginning with a user's message.
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
