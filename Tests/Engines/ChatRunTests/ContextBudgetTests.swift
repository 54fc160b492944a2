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
            system: words(10), summary: words(10), history: history(4), passages: [.init(words(50)), .init(words(50))],
            question: words(10))
        let plan = try budget(1000).plan(parts)
        #expect(plan.usesSummary && plan.history == 0..<4 && plan.passages == [0, 1] && plan.leftOut.isEmpty)
    }

    @Test func `what does not fit is listed`() throws {
        // The estimate adds 12% and rounds up; a message has 6 more, a passage 24.
        let parts = PromptParts(
            system: words(10), summary: words(200), history: history(9), memories: words(200),
            passages: [100, 300, 20, 100].map { .init(words($0)) }, question: words(10))
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
                    passages: (0..<8).map { _ in .init(words(Int.random(in: 0...400, using: &random))) },
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
        let parts = PromptParts(system: "", passages: [.init(words(100)), .init(words(100))], question: "")
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
                PromptParts.Passage(words(Int.random(in: 0...120, using: &random)))
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

    /// A conversation of questions and answers; each question found passages of a few numbers, which come again.
    private func conversation(_ turns: Int, tokens: ClosedRange<Int>, _ random: inout SeededGenerator) -> [PromptParts
        .Message]
    {
        (0..<turns).flatMap { turn -> [PromptParts.Message] in
            var numbers = Set(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    turn + Int.random(in: 1...5, using: &random)
                }
            ).shuffled(using: &random)
            numbers.removeAll { $0 > turn + 4 }
            return [
                .init(words(8), isUser: true, found: numbers.map { .init(passage($0, tokens), number: $0) }),
                .init(words(30), isUser: false),
            ]
        }
    }

    private func passage(_ number: Int, _ tokens: ClosedRange<Int>) -> String {
        words(tokens.lowerBound + number * 37 % tokens.count)
    }

    @Test func `each passage stands once, where it was found first, and is named again after that`() throws {
        let one = PromptParts.Passage(words(20), number: 1)
        let two = PromptParts.Passage(words(20), number: 2)
        let parts = PromptParts(
            system: words(10),
            history: [
                .init("a", isUser: true, found: [one]), .init("b", isUser: false),
                .init("c", isUser: true, found: [two, one]), .init("d", isUser: false),
            ], passages: [.init(words(20)), two], question: "e")
        let plan = try budget(1000).plan(parts)
        #expect(plan.kept == [0: [0], 2: [0]] && plan.passages == [0] && plan.again == [1])
        // Three quarters of the room are too few for three passages: none stays, and the question brings its own.
        let small = try budget(150).plan(parts)
        #expect(small.kept.isEmpty && small.passages == [0, 1] && small.again.isEmpty)
    }

    @Test func `what stays takes no room from the question's passages, and changes only where the room is full`() throws
    {
        var random = SeededGenerator(17)
        for _ in 0..<300 {
            let turns = Int.random(in: 0...14, using: &random)
            let history = conversation(turns, tokens: 5...60, &random)
            var budget = budget(Int.random(in: 300...1500, using: &random))
            budget.historyShare = 1
            var before: PromptPlan?
            for turn in 0...turns {
                var parts = PromptParts(system: words(10), history: Array(history[..<(turn * 2)]), question: words(8))
                if turn < turns { parts.passages = history[turn * 2].found }
                let plan = try budget.plan(parts)
                #expect(plan.tokens <= budget.context)
                var numbers: Set<Int> = []
                for (index, places) in plan.kept {
                    for place in places {
                        #expect(numbers.insert(parts.history[index].found[place].number ?? 0).inserted)
                    }
                }
                let again = plan.again.compactMap { parts.passages[$0].number }
                #expect(numbers.isSuperset(of: again))
                #expect(numbers.isDisjoint(with: plan.passages.compactMap { parts.passages[$0].number }))
                // With what stays left out, no more passages of the question would fit.
                var alone = parts
                alone.history = parts.history.map { .init($0.text, isUser: $0.isUser) }
                #expect(try budget.plan(alone).passages == (plan.passages + plan.again).sorted())
                // The prompt goes on from the last one, unless everything went.
                if let before, plan.history == 0..<parts.history.count, let last = plan.kept.keys.min(),
                    last < (turn - 1) * 2
                {
                    for (index, places) in before.kept { #expect(plan.kept[index] == places) }
                    #expect(plan.kept[(turn - 1) * 2] ?? [] == before.passages)
                }
                before = plan
            }
        }
    }

    private func tokens(of plan: PromptPlan, _ parts: PromptParts, _ budget: ContextBudget) -> Int {
        let messages = [parts.system, parts.question] + (plan.usesSummary ? [parts.summary ?? ""] : [])
        let history = parts.history[plan.history].map(\.text)
        let passages = plan.passages.map { parts.passages[$0].text }
        return (messages + history).reduce(0) { $0 + budget.estimate.tokens($1) + ContextBudget.messageTokens }
            + (passages + (plan.usesMemories ? [parts.memories ?? ""] : [])).reduce(0) {
                $0 + budget.estimate.tokens($1) + ContextBudget.passageTokens
            }
    }
}
