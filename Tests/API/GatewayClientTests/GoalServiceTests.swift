import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Testing

/// Goals through the client library.
@Suite struct GoalService {
    @Test func `every call answers with its type`() async throws {
        try await ConnectedClient.with(settings: ["backfill": "off", "goals_zone": "UTC"]) { setting in
            let service = RemoteGoalService(try setting.connection())
            let today = try await service.today(zone: "UTC").day

            var body = GoalBody()
            body.id = .set("A3D4F1B0-0C57-4B7E-9C0B-4E7C8D1F2A33")
            body.title = .set("Read & write")
            body.target = .set(GoalAmount(amount: 10, unit: "pages"))
            body.keywords = .set(["read"])
            let goal = try await service.add(body)
            #expect(try await service.add(body) == goal, "the same id again is the same goal")
            #expect(
                try await service.goals(matching: "read &", kind: "goal", hasProgress: true, .first(1)).goals.map(\.id)
                    == [goal.id])
            var change = GoalBody()
            change.importance = .set(8)
            #expect(try await service.change(goal.id, change).importance == 8)
            #expect(try await service.skip(today, of: goal.id).skips == [today])
            #expect(try await service.unskip(today, of: goal.id).skips.isEmpty)

            let proposal = try await service.read(ActionText(text: "read 4 pages", zone: "UTC", turn: "t/1"))
            #expect(
                try await service.read(ActionText(text: "read 4 pages", zone: "UTC", turn: "t/1")).id == proposal.id)
            #expect(try await service.proposals(state: "open").proposals.map(\.id) == [proposal.id])
            #expect(try await service.proposal(proposal.id).state == "open")
            let confirmed = try await service.confirm(proposal.id)
            #expect(try await service.confirm(proposal.id) == confirmed, "confirming it again changes nothing")
            let action = try await service.action(try #require(confirmed.result.first))
            #expect(
                try await service.actions(matching: nil, from: today, to: today, goal: nil).actions.map(\.id) == [
                    action.id
                ])
            let other = try await service.read(ActionText(text: "read 5 pages", zone: "UTC"))
            #expect(try await service.reject(other.id).state == "rejected")
            let counted = try await service.decide(
                GoalDecision(action: action.id, goal: goal.id, answer: "counted", amount: 4))
            #expect(counted.contributions?.map(\.amount) == [4])
            #expect(try await service.progress(of: goal.id, on: today, zone: "UTC").achieved == 4)
            _ = try await service.questions(goal: goal.id)

            var term = TermBody()
            term.theme = .set("Steady")
            term.goals = .set([goal.id])
            let made = try await service.add(term)
            #expect(try await service.terms(on: today).terms.map(\.id) == [made.id])
            #expect(try await service.term(made.id).goals == [goal.id])
            #expect(try await service.goals(term: made.id).goals.count == 1)
            var theme = TermBody()
            theme.theme = .set("Light")
            #expect(try await service.change(term: made.id, theme).theme == "Light")

            var value = ValueBody()
            value.title = .set("Craft")
            let craft = try await service.add(value)
            value = ValueBody()
            value.priority = .set(3)
            #expect(try await service.change(value: craft.id, value).priority == 3)
            #expect(try await service.values(matching: "cra").values.map(\.id) == [craft.id])
            #expect(try await service.value(craft.id).title == "Craft")
            var measure = MeasureBody()
            measure.unit = .set("km")
            let kilometre = try await service.add(measure)
            #expect(try await service.measures().measures.contains { $0.id == kilometre.id })

            let review = try await service.review(GoalReviewRequest(kind: "week", day: today))
            #expect(review.actions == 1 && review.note == nil)
            let export = try await service.export()
            #expect(try await service.importing(export).added.values.reduce(0, +) == 0)
            #expect(try await service.export() == export)
            #expect(String(decoding: try await service.export(format: "csv"), as: UTF8.self).contains("\n"))

            try await service.delete(goal: goal.id)
            let last = try #require(try await service.history(id: goal.id, .first(1)).changes.first)
            let undone = try await service.undo(GoalUndo(turn: last.turn))
            #expect(!undone.undone.isEmpty)
            #expect(try await service.goal(goal.id).title == "Read & write")
            try await service.delete(action: action.id)
            try await service.delete(term: made.id)
            try await service.delete(value: craft.id)
            try await service.delete(measure: kilometre.id)
            let missing = await #expect(throws: GatewayClientError.self) { _ = try await service.action(action.id) }
            #expect(missing?.status == 404)
        }
    }
}
