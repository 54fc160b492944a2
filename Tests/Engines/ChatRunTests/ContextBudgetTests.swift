import TestSupport
import Testing

@testable import ChatRun

struct ContextBudgetTests {
    private func words(_ tokens: Int) -> String { String(repeating: "abcd", count: tokens) }

    /// A budget whose estimate of `words(n)` is about n.
    private func budget(_ context: Int, answer: Int = 0) -> ContextBudget {
        ContextBudget(context: context, answer: answer, estimate: TokenEstimate())
    }

    private func history(_ count: Int, tokens: Int = 20) -> [PromptParts.Message] {
        (0..<count).map { PromptParts.Message(words(tokens), isUser: $0 % 2 == 0) }
    }

    @Test func `everything that fits is taken`() throws {
        let parts = PromptParts(
            system: words(10), summary: words(10), history: history(4), passages: [words(50), words(50)],
            question: words(10))
        let plan = try budget(1000).plan(parts)
        #expect(plan.usesSummary && plan.history == 0..<4 && plan.passages == [0, 1] && plan.leftOut.isEmpty)
    }

    @Test func `what does not fit is listed`() throws {
        // The estimate adds 12% and rounds up; a message has 6 more, a passage 24.
        let parts = PromptParts(
            system: words(10), summary: words(200), history: history(9), memories: words(200),
            passages: [words(100), words(300), words(20), words(100)], question: words(10))
        let plan = try budget(400, answer: 50).plan(parts)
        // 350 - 36 = 314 are left, and the history may have 40% of 350 - 18, in steps of 33: 132. It needs 9 * 29.
        #expect(plan.history == 6..<9)
        // Passages have the rest, 227: ranks 0 and 2 (137 + 47).
        #expect(plan.passages == [0, 2])
        #expect(
            plan.leftOut == [
                .memories(tokens: 249), .summary(tokens: 231), .history(0..<6), .passage(1, tokens: 361),
                .passage(3, tokens: 137),
            ])
        #expect(plan.tokens <= 350)
    }

    @Test func `the history depends neither on the passages nor on the question`() throws {
        var random = SeededGenerator(9)
        for _ in 0..<500 {
            let history = (0..<Int.random(in: 0...30, using: &random)).map {
                PromptParts.Message(words(Int.random(in: 0...60, using: &random)), isUser: $0 % 2 == 0)
            }
            let budget = budget(2000)
            let alone = try budget.plan(PromptParts(system: words(10), history: history, question: "?"))
            let found = try budget.plan(
                PromptParts(
                    system: words(10), history: history, memories: words(Int.random(in: 0...150, using: &random)),
                    passages: (0..<8).map { _ in words(Int.random(in: 0...400, using: &random)) },
                    question: words(Int.random(in: 0...300, using: &random))))
            #expect(alone.history == found.history)
        }
    }

    @Test func `a conversation that grows leaves its beginning out in steps`() throws {
        let messages = history(200)
        let starts = try (0...100).map { turn in
            let parts = PromptParts(system: words(10), history: Array(messages[..<(turn * 2)]), question: words(10))
            let plan = try budget(2000).plan(parts)
            // At least three quarters of the room are used.
            if plan.history.lowerBound > 0 { #expect(plan.history.count * 29 > 800 * 3 / 4 - 2 * 29) }
            return plan.history.lowerBound
        }
        // 800 tokens, 29 a message: the beginning moves once in 3 or 4 turns.
        let moves = zip(starts, starts.dropFirst()).filter { $0 != $1 }.count
        #expect(starts[0] == 0 && starts[13] == 0 && starts.last ?? 0 >= 172)
        #expect((100 - 13) / 4 <= moves && moves <= (100 - 13) / 3 + 1)
    }

    @Test func `passages get the room that the history leaves`() throws {
        let parts = PromptParts(system: "", passages: [words(100), words(100)], question: "")
        #expect(try budget(300).plan(parts).passages == [0, 1])
    }

    @Test func `instructions and question that do not fit are an error`() {
        let parts = PromptParts(system: words(100), question: words(100))
        #expect(throws: PromptOverflow(needed: 238, available: 200)) { try budget(300, answer: 100).plan(parts) }
        #expect(throws: PromptOverflow(needed: 238, available: 0)) { try budget(-5, answer: .max).plan(parts) }
    }

    @Test func `every part is in the plan or listed, and nothing more would fit`() throws {
        var random = SeededGenerator(5)
        for _ in 0..<2000 {
            let history = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                PromptParts.Message(words(Int.random(in: 0...60, using: &random)), isUser: Bool.random(using: &random))
            }
            let passages = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                words(Int.random(in: 0...120, using: &random))
            }
            let summary = Bool.random(using: &random) ? words(Int.random(in: 0...80, using: &random)) : nil
            let memories = Bool.random(using: &random) ? words(Int.random(in: 0...80, using: &random)) : nil
            let parts = PromptParts(
                system: words(10), summary: summary, history: history, memories: memories, passages: passages,
                question: "?")
            var budget = budget(Int.random(in: 40...900, using: &random))
            budget.historyShare = Double.random(in: -0.2...1.2, using: &random)
            let plan = try budget.plan(parts)
            let left = budget.context - plan.tokens
            #expect(left >= 0)
            var listed = plan.passages
            var firstMessage = 0
            for part in plan.leftOut {
                switch part {
                case .summary: #expect(summary != nil && !plan.usesSummary)
                case .memories: #expect(memories != nil && !plan.usesMemories)
                case .history(let range): firstMessage = range.upperBound
                case .passage(let rank, let tokens):
                    listed.append(rank)
                    #expect(tokens > left)
                }
            }
            #expect(listed.sorted() == Array(passages.indices))
            #expect(plan.history == firstMessage..<history.count)
            if let first = plan.history.first { #expect(history[first].isUser) }
            #expect(plan.tokens == tokens(of: plan, parts, budget))
        }
    }

    private func tokens(of plan: PromptPlan, _ parts: PromptParts, _ budget: ContextBudget) -> Int {
        let messages = [parts.system, parts.question] + (plan.usesSummary ? [parts.summary ?? ""] : [])
        let history = parts.history[plan.history].map(\.text)
        let passages = plan.passages.map { parts.passages[$0] }
        return (messages + history).reduce(0) { $0 + budget.estimate.tokens($1) + ContextBudget.messageTokens }
            + (passages + (plan.usesMemories ? [parts.memories ?? ""] : [])).reduce(0) {
                $0 + budget.estimate.tokens($1) + ContextBudget.passageTokens
            }
    }
}
