/// Chooses the parts of a prompt in this order:
///
/// 1. The instructions and the question are always included; if they are too long, planning fails.
/// 2. The memories and the summary are included if each takes at most a quarter of the remaining room.
/// 3. The history has up to ``historyShare`` of the room beside the instructions. When it does not fit, its beginning is left out in
///    steps, so that several prompts of a conversation begin with the same message.
/// 4. Passages are included by rank in what remains. Passages that do not fit are skipped.
///
/// So a prompt begins like the one before it up to the newest messages, whatever is found for the question, and a model's server can
/// go on from what it computed. The plan lists all parts left out. Time is linear in the text examined.
package struct ContextBudget: Sendable, Hashable {
    /// Tokens for a message's role and marks.
    package static let messageTokens = 6
    /// Tokens for a passage's number, title and fences.
    package static let passageTokens = 24
    /// The steps in which the history's room is given up.
    package static let historySteps = 4

    /// The size of the model's context in tokens.
    package var context: Int
    /// The part of the context reserved for the answer, in tokens.
    package var answer: Int
    /// The token estimate of the model.
    package var estimate: TokenEstimate
    /// The history's share of the room beside the instructions, 0 to 1.
    package var historyShare = 0.4

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
        let instructions = message(parts.system)
        let needed = instructions + message(parts.question)
        guard needed <= available else { throw PromptOverflow(needed: needed, available: max(0, available)) }
        var left = available - needed
        var leftOut: [PromptPlan.LeftOut] = []

        let memories = parts.memories.map { estimate.tokens($0) + Self.passageTokens } ?? 0
        let usesMemories = parts.memories != nil && memories <= left / 4
        if usesMemories {
            left -= memories
        } else if parts.memories != nil {
            leftOut.append(.memories(tokens: memories))
        }

        let summary = parts.summary.map(message) ?? 0
        let usesSummary = parts.summary != nil && summary <= left / 4
        if usesSummary { left -= summary } else if parts.summary != nil { leftOut.append(.summary(tokens: summary)) }

        // Not a share of what is left: that depends on the question.
        let share = Int(Double(available - instructions) * min(max(0, historyShare), 1))
        let (history, taken) = latest(parts.history, room: min(left, share))
        left -= taken
        if history.lowerBound > 0 { leftOut.append(.history(0..<history.lowerBound)) }

        var passages: [Int] = []
        for (rank, text) in parts.passages.enumerated() {
            let tokens = estimate.tokens(text) + Self.passageTokens
            if tokens <= left {
                left -= tokens
                passages.append(rank)
            } else {
                leftOut.append(.passage(rank, tokens: tokens))
            }
        }
        return PromptPlan(
            usesSummary: usesSummary, history: history, usesMemories: usesMemories, passages: passages,
            tokens: available - left, leftOut: leftOut)
    }

    /// The largest context, so that sums cannot overflow.
    private static let most = 1 << 40

    private func message(_ text: String) -> Int { estimate.tokens(text) + Self.messageTokens }

    /// The latest messages that fit, beginning with a user's message, and their tokens.
    ///
    /// What is left out grows in steps of a part of the room, counted from the conversation's beginning.
    private func latest(_ history: [PromptParts.Message], room: Int) -> (Range<Int>, tokens: Int) {
        let tokens = history.map { message($0.text) }
        let whole = tokens.reduce(0, +)
        let none = (history.count..<history.count, tokens: 0)
        guard whole > room else {
            let start = history.firstIndex(where: \.isUser) ?? history.count
            return start == 0 ? (0..<history.count, whole) : (start..<history.count, tokens[start...].reduce(0, +))
        }
        let step = max(1, room / Self.historySteps)
        let least = (whole - room + step - 1) / step * step
        var before = 0
        for index in history.indices {
            if before >= least, history[index].isUser { return (index..<history.count, whole - before) }
            before += tokens[index]
        }
        return none
    }
}
