import Database
import GatewayAPI
import GoalRoom
import Goals
package import Tools

/// The tools about goals. Those that write make a proposal, which a person confirms.
package struct GoalTools: Sendable {
    /// The results of a tool at most.
    static let maxResults: Int64 = 50

    let service: GoalService
    let proposals: GoalProposals
    let reviews: GoalReviews
    private let occasion: ToolOccasion

    package init(service: GoalService, reviews: GoalReviews) {
        self.service = service
        occasion = ToolOccasion(GoalOccasion(service).isGiven)
        proposals = GoalProposals(service)
        self.reviews = reviews
    }

    /// The tools, in the order that models see.
    package var all: [Tool] {
        [logAction, findActions, progress, planTerm, review, reflect, goals, values, terms, measures, undo]
    }

    private static let day = ArgumentSchema.string("YYYY-MM-DD", least: 10, most: 10)
    private static let count = ArgumentSchema.integer(least: 1, most: maxResults, defaultValue: 20)
    private static let text = ArgumentSchema.string(least: 1, most: 200)

    /// What refused arguments become for the model.
    private static func refusal(_ error: any Error) -> ToolResult {
        let reason =
            switch error {
            case let error as InvalidFields: error.description
            case let error as StorageError: error.message
            default: "\(error)"
            }
        return ToolResult(text: "Refused: \(reason)")
    }

    private func tool(
        _ name: String, _ summary: String, _ properties: [ArgumentSchema.Property], scope: String = "notes:read",
        _ work: @escaping @Sendable (ToolArguments, ToolCaller) async throws -> ToolResult
    ) -> Tool {
        Tool(name, summary, arguments: .object(properties), scope: scope, occasion: occasion) { arguments, caller in
            do {
                return try await work(arguments, caller)
            } catch let error as InvalidFields {
                return Self.refusal(error)
            } catch let error as StorageError where [.notFound, .conflict, .invalid].contains(error.code) {
                return Self.refusal(error)
            }
        }
    }

    private static func day(_ name: String, of arguments: ToolArguments) throws(InvalidFields) -> LocalDay? {
        guard let text = arguments.string(name) else { return nil }
        return try LocalDay(checking: text, name)
    }

    /// The beginning of a text, in a line.
    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(300).description
    }

    // MARK: Proposals

    private var logAction: Tool {
        tool(
            "log_action", "Proposes to log what the user did, in their words, such as \"ran 5 km yesterday\".",
            [.required("text", .string(least: 1, most: 2000))], scope: "notes:write"
        ) { arguments, caller in
            let proposal = try await proposals.log(
                ActionText(text: arguments.string("text") ?? "", turn: caller.turn), actor: caller.actor)
            return Self.result(of: proposal)
        }
    }

    private var planTerm: Tool {
        tool(
            "plan_term", "Proposes a term of ten weeks.",
            [
                .optional("theme", Self.text), .optional("start", Self.day),
                .optional("goals", .array(of: .string(least: 36, most: 36), "Ids.", most: 100)),
            ], scope: "notes:write"
        ) { arguments, caller in
            var body = TermBody()
            // The id is fixed now, so that confirming twice plans one term.
            body.id = .set(service.newID())
            if let theme = arguments.string("theme") { body.theme = .set(theme) }
            if let start = try Self.day("start", of: arguments) { body.startDate = .set(start.description) }
            if let goals = arguments.strings("goals") { body.goals = .set(goals) }
            let term = try await service.draft(body)
            (body.number, body.startDate, body.targetDate) = (
                .set(term.number), .set(term.startDate), .set(term.targetDate)
            )
            let days = "\(term.startDate) to \(term.targetDate)"
            let summary = "Term \(term.number), \(days)\(term.theme.map { ": \($0)" } ?? "")"
            return Self.result(
                of: try await proposals.propose(
                    "plan_term", term: body, summary: summary, words: summary, turn: caller.turn,
                    actor: caller.actor))
        }
    }

    private var reflect: Tool {
        tool(
            "reflect", "Proposes to keep what the user makes of a term, in their words, as its reflection.",
            [
                .required("text", .string(least: 1, most: 5000)),
                .optional("term", .integer(least: 1, most: 100_000)),
            ], scope: "notes:write"
        ) { arguments, caller in
            let text = arguments.string("text") ?? ""
            let number = arguments.integer("term")
            guard let term = try await service.term(number: number.map { Int($0) }) else {
                throw StorageError(.notFound, number.map { "there is no term \($0)" } ?? "there are no terms")
            }
            var body = TermBody()
            body.reflection = .set(text)
            var checked = term
            body.apply(to: &checked)
            try checked.check()
            let change = term.reflection.map { $0.isEmpty ? "" : ", instead of the one it has" } ?? ""
            return Self.result(
                of: try await proposals.propose(
                    "reflect", term: body, changedTerm: term.id,
                    summary: "Keep a reflection of term \(term.number)\(change)", words: "\(term.number) \(text)",
                    turn: caller.turn, actor: caller.actor))
        }
    }

    private var undo: Tool {
        tool(
            "undo", "Proposes to undo a change or a turn of goals.",
            [.optional("change", .integer(least: 1)), .optional("turn", Self.text)], scope: "notes:write"
        ) { arguments, caller in
            let wanted = GoalUndo(change: arguments.integer("change"), turn: arguments.string("turn"))
            guard (wanted.change == nil) != (wanted.turn == nil) else {
                throw InvalidFields("change", expected: "either change or turn", got: "both or neither")
            }
            let what = wanted.change.map { "change \($0)" } ?? "turn \(wanted.turn ?? "")"
            return Self.result(
                of: try await proposals.propose(
                    "undo", undo: wanted, summary: "Undo \(what)", words: what, turn: caller.turn,
                    actor: caller.actor))
        }
    }

    private static func result(of proposal: GoalProposal) -> ToolResult {
        var lines = ["\(proposal.summary)."]
        switch proposal.state {
        case "confirmed": lines.append("It is done (proposal \(proposal.id)).")
        case "open" where proposal.refusals.isEmpty:
            lines.append("Proposal \(proposal.id): the user has to confirm it; nothing is stored yet.")
        default: lines.append("It is \(proposal.state) and cannot be stored as it is.")
        }
        lines += proposal.refusals.map { "Refused: \($0)" }
        if let fields = proposal.fromModel { lines.append("Read by a model: \(fields.joined(separator: ", "))") }
        if !proposal.unread.isEmpty { lines.append("Not understood: \(proposal.unread.joined(separator: " "))") }
        for match in (proposal.matches ?? []).prefix(5) {
            let verb = match.verdict == "counts" ? "Counts" : "May count"
            lines.append("\(verb) for \"\(match.title ?? match.goal)\", confidence \(match.confidence)")
        }
        return ToolResult(
            text: lines.joined(separator: "\n"),
            content: .object([
                "proposal": .string(proposal.id), "state": .string(proposal.state),
                "refusals": .array(proposal.refusals.map(JSONValue.string)),
            ]))
    }

    // MARK: Reading

    private var findActions: Tool {
        tool(
            "find_actions", "Lists logged actions, latest first.",
            [
                .optional("text", Self.text), .optional("from", Self.day), .optional("to", Self.day),
                .optional("goal", Self.text), .optional("limit", Self.count),
            ]
        ) { arguments, _ in
            var filter = ActionFilter()
            filter.text = arguments.string("text")
            (filter.from, filter.to) = (try Self.day("from", of: arguments), try Self.day("to", of: arguments))
            if let goal = arguments.string("goal") { filter.goal = try await find(goal).record.id }
            let page = try await service.store.actions.list(
                filter, after: nil, limit: Int(arguments.integer("limit") ?? 20))
            var lines = page.items.map { "- \(GoalProposals.summary(of: $0)) [action \($0.id)]" }
            if page.next != nil { lines.append("There are more.") }
            return ToolResult(text: lines.isEmpty ? "No such action was logged." : lines.joined(separator: "\n"))
        }
    }

    private var progress: Tool {
        tool(
            "progress", "How far goals are, with pace and projection.",
            [
                .optional("goal", .string("Id or title; absent: today's.", most: 200)),
                .optional("day", Self.day),
            ]
        ) { arguments, _ in
            let day = try Self.day("day", of: arguments)
            guard let name = arguments.string("goal") else {
                var filter = GoalFilter()
                filter.on = day ?? service.today()
                let goals = try await service.goals(
                    filter, withProgress: true, after: nil, limit: Int(Self.maxResults))
                let lines = goals.items.map { Self.line($0, $0.progress) }
                return ToolResult(text: lines.isEmpty ? "No goal runs then." : lines.joined(separator: "\n"))
            }
            let goal = try await find(name).record
            let progress = try await service.progress(of: goal.id, on: day, zone: nil)
            return ToolResult(text: Self.line(goal, progress))
        }
    }

    /// A goal by its id, or by words of its title if they name exactly one.
    private func find(_ name: String) async throws -> StoredGoal {
        if EntityID(name) != nil { return try await service.store.goals.find(name) }
        var filter = GoalFilter()
        filter.text = name
        let found = try await service.store.goals.list(filter, after: nil, limit: 6).items
        guard found.count == 1 else {
            let titles = found.map { "\"\($0.record.title)\" [goal \($0.record.id)]" }.joined(separator: ", ")
            throw StorageError(
                .notFound, found.isEmpty ? "no goal has \"\(name)\"" : "several goals have \"\(name)\": \(titles)")
        }
        return found[0]
    }

    private static func line(_ goal: GoalRecord, _ progress: GoalProgress?) -> String {
        func number(_ value: Double) -> String { GoalProposals.number((value * 100).rounded() / 100) }
        guard let progress else { return "- \(goal.title): no progress can be computed [goal \(goal.id)]" }
        var text = "- \(goal.title): \(progress.status.replacing("_", with: " ")), \(number(progress.achieved)) of "
        text += "\(number(progress.needed))\(progress.unit.map { " \($0)" } ?? "")"
        if let required = progress.pace?.required { text += ", needs \(number(required)) each day" }
        if let projection = progress.projection {
            text += ", will end at \(number(projection.estimate))"
            if let lower = projection.lower, let upper = projection.upper {
                text += " (\(number(lower)) to \(number(upper)), 80 %)"
            }
        }
        if let streak = progress.currentStreak { text += ", streak \(streak)" }
        return text + ", \(progress.start) to \(progress.end) [goal \(goal.id)]"
    }

    private var review: Tool {
        tool(
            "review", "Reviews a week or the term, citing actions and notes.",
            [
                .optional("kind", .string(allowed: ["week", "term"], defaultValue: "week")),
                .optional("day", Self.day),
            ]
        ) { arguments, _ in
            let kind = arguments.string("kind") ?? "week"
            let review = try await reviews.review(
                GoalReviewRequest(kind: kind, day: kind == "week" ? arguments.string("day") : nil))
            return ToolResult(text: "# \(review.title)\n\n\(review.text)")
        }
    }

    private var goals: Tool {
        tool(
            "goals", "Lists goals, milestones and obligations.",
            [.optional("text", Self.text), .optional("on", Self.day), .optional("limit", Self.count)]
        ) { arguments, _ in
            var filter = GoalFilter()
            filter.text = arguments.string("text")
            filter.on = try Self.day("on", of: arguments)
            let page = try await service.goals(
                filter, withProgress: true, after: nil, limit: Int(arguments.integer("limit") ?? 20))
            var lines = page.items.map { Self.line($0, $0.progress) }
            if page.next != nil { lines.append("There are more.") }
            return ToolResult(text: lines.isEmpty ? "There is no such goal." : lines.joined(separator: "\n"))
        }
    }

    private var values: Tool {
        tool("values", "Lists the user's values, most important first.", []) { _, _ in
            let page = try await service.store.values.list(containing: nil, after: nil, limit: Int(Self.maxResults))
            let lines = page.items.map { value in
                "- \(value.title) (\(value.kind.replacing("_", with: " ")), priority \(value.priority), "
                    + "\(value.goals.count) goals) [value \(value.id)]"
            }
            return ToolResult(text: lines.isEmpty ? "There are no values." : lines.joined(separator: "\n"))
        }
    }

    private var terms: Tool {
        tool("terms", "Lists terms, latest first.", []) { _, _ in
            let page = try await service.terms(on: nil, after: nil, limit: 20)
            let lines = page.items.map { term in
                "- Term \(term.number), \(term.startDate) to \(term.targetDate), \(term.status)"
                    + (term.week.map { ", week \($0) of \(term.weeks)" } ?? "")
                    + (term.theme.map { ": \($0)" } ?? "") + ", \(term.goals.count) goals [term \(term.id)]"
                    + (term.reflection.map { "\n  reflection: \(Self.oneLine($0))" } ?? "")
            }
            return ToolResult(text: lines.isEmpty ? "There are no terms." : lines.joined(separator: "\n"))
        }
    }

    private var measures: Tool {
        tool("measures", "Lists the user's units.", []) { _, _ in
            let page = try await service.store.measures.list(after: nil, limit: Int(Self.maxResults))
            let lines = page.items.map { measure in
                "- \(measure.unit): \(measure.kind), \(measure.conversionFactor) \(measure.canonicalUnit)"
            }
            return ToolResult(text: lines.isEmpty ? "There are no measures." : lines.joined(separator: "\n"))
        }
    }
}
