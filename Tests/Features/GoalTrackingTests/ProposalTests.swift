import Database
import GatewayAPI
import GoalRoom
import GoalTracking
import Goals
import Storage
import TestSupport
import Testing
import Tools

/// Proposals: nothing is written before a person confirms, and nothing twice.
@Suite struct GoalProposalsOfTurns {
    @Test func `an utterance becomes a proposal, and the same turn the same one`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        let proposals = GoalProposals(person.service)
        let said = ActionText(text: "ran 5 km in 28 min yesterday", turn: "chat 1")
        let proposal = try await proposals.log(said, actor: "chat")
        #expect(proposal.state == "open" && proposal.refusals.isEmpty)
        #expect(proposal.action?.amounts == [GoalAmount(amount: 5, unit: "km")])
        #expect(proposal.action?.durationMinutes == 28 && proposal.action?.day == "2026-11-21")
        #expect(proposal.matches?.map(\.goal) == [goal.id] && proposal.matches?.first?.verdict == "counts")
        #expect(try await proposals.log(said, actor: "chat").id == proposal.id)
        #expect(try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 10).items.isEmpty)

        let done = try await proposals.confirm(proposal.id, actor: "me")
        let again = try await proposals.confirm(proposal.id, actor: "me")
        #expect(done.state == "confirmed" && again.result == done.result)
        #expect(try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 10).items.count == 1)
        #expect(try await person.service.goal(goal.id).progress?.achieved == 5)
        await #expect(throws: StorageError.self) { try await proposals.reject(proposal.id) }
        // The whole turn is undone at once.
        let undone = try await person.service.undo(GoalUndo(turn: "chat 1"), person.turn("undo"))
        #expect(undone.undone.count == 2)
        #expect(try await person.service.goal(goal.id).progress?.entries == 0)
    }

    @Test func `what cannot be logged says why, and cannot be confirmed`() async throws {
        let person = try Person()
        let proposals = GoalProposals(person.service)
        for text in ["ran 5 km on 31 February", "will run 5 km tomorrow", "hello"] {
            let proposal = try await proposals.log(ActionText(text: text), actor: nil)
            #expect(!proposal.refusals.isEmpty, "\(text)")
            await #expect(throws: StorageError.self) { try await proposals.confirm(proposal.id, actor: nil) }
        }
        let open = try await proposals.log(ActionText(text: "swam 1 km"), actor: nil)
        #expect(try await proposals.reject(open.id).state == "rejected")
        await #expect(throws: StorageError.self) { try await proposals.confirm(open.id, actor: nil) }
        let late = try await proposals.log(ActionText(text: "swam 2 km"), actor: nil)
        person.setTime("2026-12-20T10:00:00Z")
        #expect(try await proposals.find(late.id).state == "expired")
        await #expect(throws: StorageError.self) { try await proposals.confirm(late.id, actor: nil) }
        #expect(try await proposals.page(state: "expired", after: nil, limit: 10).items.count == 4)
    }

    @Test func `two deeds in one line are two actions, confirmed and undone together`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        let proposals = GoalProposals(person.service)
        let said = ActionText(text: "jogged 7 km on Monday and read 40 pages", turn: "chat 2")
        let proposal = try await proposals.log(said, actor: "chat")
        #expect(proposal.refusals.isEmpty && proposal.unread.isEmpty)
        #expect(proposal.action?.amounts == [GoalAmount(amount: 7, unit: "km")])
        let further = try #require(proposal.furtherActions)
        #expect(further.map(\.amounts) == [[GoalAmount(amount: 40, unit: "pages")]])
        #expect(further.map(\.title) == ["Read"] && proposal.action?.title == "Run")
        #expect(proposal.summary == "Run: 7 km, on 2026-11-16; Read: 40 pages, on 2026-11-16")
        let done = try await proposals.confirm(proposal.id, actor: "me")
        #expect(done.result.count == 2)
        #expect(try await proposals.confirm(proposal.id, actor: "me").result == done.result)
        let stored = try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 10).items
        #expect(Set(stored.map(\.id)) == Set(done.result))
        #expect(try await person.service.goal(goal.id).progress?.achieved == 7)
        _ = try await person.service.undo(GoalUndo(turn: "chat 2"), person.turn("undo"))
        #expect(try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 10).items.isEmpty)
    }

    @Test func `with a day that begins at 4, a time of the night is that of the night before`() async throws {
        let person = try Person(dayStart: 240, now: "2026-11-27T05:01:00Z")
        let proposals = GoalProposals(person.service)
        let night = try await proposals.log(ActionText(text: "ran 5 km at 00:20"), actor: nil)
        #expect(night.refusals.isEmpty && night.action?.day == "2026-11-26")
        #expect(night.action?.startTime == "2026-11-27T00:20:00Z")
        let german = try await proposals.log(ActionText(text: "bin um 0:20 Uhr 5 km gelaufen"), actor: nil)
        #expect(german.refusals.isEmpty && german.action?.day == "2026-11-26")
        // By night, the day is still the one before; a time that is to come stays refused.
        person.setTime("2026-11-27T02:00:00Z")
        #expect(try await proposals.log(ActionText(text: "ran 5 km at 00:20"), actor: nil).action?.day == "2026-11-26")
        #expect(try await !proposals.log(ActionText(text: "ran 5 km at 3:30 am"), actor: nil).refusals.isEmpty)
        person.setTime("2026-11-27T10:00:00Z")
        #expect(try await !proposals.log(ActionText(text: "ran 5 km at 15:30"), actor: nil).refusals.isEmpty)
    }

    @Test(.slow) func `a setting logs at once what is without doubt`() async throws {
        let person = try Person(confirms: true)
        let proposals = GoalProposals(person.service)
        #expect(try await proposals.log(ActionText(text: "bin 5 km gelaufen"), actor: nil).state == "confirmed")
        #expect(try await proposals.log(ActionText(text: "ran 5 km on 31 February"), actor: nil).state == "open")
        let asked = try await proposals.log(ActionText(text: "ran 6 km", confirm: false), actor: nil)
        #expect(asked.state == "open")
    }

    @Test func `the tools answer, propose, and refuse wrong dates`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        _ = try await person.log("Run", [GoalAmount(amount: 5, unit: "km")])
        let reviews = GoalReviews(person.service, privacy: NotePrivacy())
        let tools = try ToolRegistry(GoalTools(service: person.service, reviews: reviews).all)
        #expect(tools.names.count == 11)
        let caller = ToolCaller(key: "chat", scopes: nil, turn: "chat run 1")
        func call(_ name: String, _ arguments: [String: JSONValue]) async throws -> String {
            try await Self.text(name, arguments, tools, caller)
        }
        #expect(try await call("progress", [:]).contains("Run more: behind, 5 of 100 km"))
        #expect(try await call("progress", ["goal": .string("more")]).contains(goal.id))
        #expect(try await call("find_actions", ["from": .string("2026-02-31")]).contains("Refused"))
        #expect(try await call("find_actions", ["goal": .string(goal.id)]).contains("Run: 5 km, on 2026-11-22"))
        #expect(try await call("log_action", ["text": .string("ran 3 km")]).contains("nothing is stored yet"))
        #expect(
            try await call("plan_term", ["theme": .string("Calm")]).contains("Term 1, 2026-11-22 to 2027-01-30: Calm"))
        #expect(try await call("undo", [:]).contains("Refused"))
        #expect(try await call("undo", ["change": .integer(1)]).contains("Undo change 1"))
        for name in ["goals", "values", "terms", "measures"] { #expect(try await !call(name, [:]).isEmpty) }
        #expect(try await call("review", [:]).contains("Run more"))
        let open = try await GoalProposals(person.service).page(state: "open", after: nil, limit: 10).items
        #expect(open.count == 3)
        for proposal in open where proposal.kind == "plan_term" {
            _ = try await GoalProposals(person.service).confirm(proposal.id, actor: "me")
        }
        #expect(try await call("terms", [:]).contains("Calm"))
    }

    @Test func `a chat needs the tools once there is anything, or from what tells of a deed on`() async throws {
        func names(_ person: Person, _ said: String...) async throws -> [String] {
            let reviews = GoalReviews(person.service, privacy: NotePrivacy())
            let tools = try ToolRegistry(GoalTools(service: person.service, reviews: reviews).all)
            return await tools.needed(in: said).names
        }
        let person = try Person()
        #expect(try await names(person, "When is the tide highest?").isEmpty)
        #expect(try await names(person, "I want to run twice a week").count == 11)
        #expect(try await names(person, "When is the tide highest?", "ran 5 km", "and why is that?").count == 11)
        let action = try await person.log("Run", [GoalAmount(amount: 5, unit: "km")])
        #expect(try await names(person, "When is the tide highest?").count == 11)
        try await person.service.store.delete("actions", action.id, person.turn())
        #expect(try await names(person, "When is the tide highest?").isEmpty)

        // What was offered stays while the gateway runs, whatever is deleted.
        let reviews = GoalReviews(person.service, privacy: NotePrivacy())
        let tools = try ToolRegistry(GoalTools(service: person.service, reviews: reviews).all)
        var value = ValueBody()
        value.title = .set("Calm")
        let kept = try await person.service.add(value, person.turn()).value
        #expect(await tools.needed(in: ["When?"]).names.count == 11)
        try await person.service.store.delete("values", kept.id, person.turn())
        #expect(await tools.needed(in: ["When?"]).names.count == 11)
    }

    @Test func `a reflection is a proposal, has history, and an undo of its turn brings the former one back`()
        async throws
    {
        let person = try Person()
        let tools = try ToolRegistry(
            GoalTools(service: person.service, reviews: GoalReviews(person.service, privacy: NotePrivacy())).all)
        let caller = ToolCaller(key: "chat", scopes: nil, turn: "chat 7")
        func reflect(_ arguments: [String: JSONValue]) async throws -> String {
            try await Self.text("reflect", arguments, tools, caller)
        }
        #expect(try await reflect(["text": .string("Fine.")]).contains("Refused: there are no terms"))
        var body = TermBody()
        (body.theme, body.reflection) = (.set("Calm"), .set("Before."))
        let term = try await person.service.add(body, person.turn()).term
        #expect(try await reflect(["text": .string("x"), "term": .integer(9)]).contains("there is no term 9"))
        let said = try await reflect(["text": .string("More mornings,\nfewer plans."), "term": .integer(1)])
        #expect(said.contains("instead of the one it has") && said.contains("nothing is stored yet"))
        #expect(try await person.service.term(term.id).reflection == "Before.")
        let proposals = GoalProposals(person.service)
        // The same words in the same turn are one proposal.
        _ = try await reflect(["text": .string("More mornings,\nfewer plans."), "term": .integer(1)])
        let open = try await proposals.page(state: "open", after: nil, limit: 10).items
        #expect(open.count == 1 && open.first?.kind == "reflect")
        _ = try await proposals.confirm(try #require(open.first).id, actor: "me")
        let now = try await person.service.term(term.id)
        #expect(now.reflection == "More mornings,\nfewer plans." && now.theme == "Calm")
        #expect(try await Self.text("terms", [:], tools, caller).contains("reflection: More mornings, fewer plans."))
        let past = try await person.service.store.history.term(term.id, at: .change(term.version))
        #expect(past.reflection == "Before.")
        let undone = try await person.service.undo(GoalUndo(turn: "chat 7"), person.turn("undo"))
        #expect(undone.undone.count == 1)
        #expect(try await person.service.term(term.id).reflection == "Before.")
        // Without a number: the term that runs.
        #expect(try await reflect(["text": .string("Now.")]).contains("reflection of term 1"))
    }

    /// The text that a tool answers.
    private static func text(
        _ name: String, _ arguments: [String: JSONValue], _ tools: ToolRegistry, _ caller: ToolCaller
    ) async throws -> String {
        let wanted: CheckedCall = try tools.check(name, .object(arguments))
        let result: ToolResult = try await wanted.tool.handler(wanted.arguments, caller)
        return result.text
    }
}
