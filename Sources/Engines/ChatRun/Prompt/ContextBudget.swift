/// Chooses the parts of a prompt in this order:
///
/// 1. The instructions and the question are always included; if they are too long, planning fails.
/// 2. The memories and the summary are included if each takes at most a quarter of the remaining room.
/// 3. The history has up to ``historyShare`` of the room beside the instructions. When it does not fit, its beginning is left out in
///    steps, so that several prompts of a conversation begin with the same message.
/// 4. Passages of earlier questions stay with these, as long as they, the history and the question with its passages take no more than
///    ``keptShare`` of the room beside the instructions. When they take more, all of them go, and the conversation collects new ones.
/// 5. Passages that do not stand there yet are included by rank in what remains. Passages that do not fit are skipped.
///
/// So a prompt begins like the one before it up to the newest question, whatever is found for that, and a model's server can go on
/// from what it computed. The plan lists all parts left out. Time is linear in the text examined.
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
    /// The share of the room beside the instructions up to which passages of earlier questions stay, 0 to 1.
    package var keptShare = 0.75

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

        let used = available - instructions - left
        let kept = kept(parts, history, beside: used, room: Int(Double(available - instructions) * keptShare))
        left -= kept.tokens

        var (passages, again): ([Int], [Int]) = ([], [])
        for (rank, passage) in parts.passages.enumerated() {
            if kept.has(passage) {
                again.append(rank)
                continue
            }
            let tokens = tokens(passage)
            if tokens <= left {
                left -= tokens
                passages.append(rank)
            } else {
                leftOut.append(.passage(rank, tokens: tokens))
            }
        }
        return PromptPlan(
            usesSummary: usesSummary, history: history, kept: kept.places, usesMemories: usesMemories,
            passages: passages,
            again: again, tokens: available - left, leftOut: leftOut)
    }

    /// The largest context, so that sums cannot overflow.
    private static let most = 1 << 40

    private func message(_ text: String) -> Int { estimate.tokens(text) + Self.messageTokens }

    private func tokens(_ passage: PromptParts.Passage) -> Int { estimate.tokens(passage.text) + Self.passageTokens }

    /// The passages of earlier questions that stay.
    private struct Kept {
        /// By message: the places of its passages that stand with it.
        var places: [Int: [Int]] = [:]
        var numbers: Set<Int> = []
        var tokens = 0

        func has(_ passage: PromptParts.Passage) -> Bool { passage.number.map(numbers.contains) ?? false }
    }

    /// Goes through the conversation, so that what stays changes only where the room is full.
    ///
    /// - Parameters:
    ///   - used: The tokens of everything but the instructions and passages.
    ///   - room: The tokens for that and for passages.
    private func kept(_ parts: PromptParts, _ history: Range<Int>, beside used: Int, room: Int) -> Kept {
        var (kept, said) = (Kept(), 0)
        func makesRoom(for found: [PromptParts.Passage], beside said: Int) {
            let new = found.lazy.filter { !kept.has($0) }.reduce(0) { $0 + tokens($1) }
            if kept.tokens + said + new > room { kept = Kept() }
        }
        for index in history {
            let message = parts.history[index]
            said += self.message(message.text)
            guard message.isUser, !message.found.isEmpty else { continue }
            makesRoom(for: message.found, beside: said)
            let places = message.found.indices.filter { !kept.has(message.found[$0]) }
            kept.places[index] = places
            for passage in places.map({ message.found[$0] }) {
                kept.tokens += tokens(passage)
                if let number = passage.number { kept.numbers.insert(number) }
            }
        }
        makesRoom(for: parts.passages, beside: used)
        return kept
    }

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
