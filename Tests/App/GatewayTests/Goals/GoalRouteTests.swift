import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Goals over HTTP.
@Suite struct GoalRoutesTests {
    private static let settings = ["goals_zone": "UTC"]

    /// The settings with a file or a server as the store; nil where there can be no server.
    private static func settings(onServer: Bool) async throws -> [String: String]? {
        guard onServer else { return settings }
        guard await PostgresServer.isPossible, let server = await PostgresServer.shared() else { return nil }
        return settings.merging(["store": try await server.migrated()]) { $1 }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    @Test(arguments: [false, true]) func `goals are added, measured, changed, undone and deleted`(onServer: Bool)
        async throws
    {
        guard let settings = try await Self.settings(onServer: onServer) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let today = String(Date.now.ISO8601Format().prefix(10))
            let body =
                #"{"title":"Run","target":{"amount":10,"unit":"km"},"start_date":"2026-01-01","keywords":["run"],"target_date":"2099-12-31"}"#
            let added = try await gateway.request("POST", "/api/goals", body)
            #expect(added.status == 201, "\(added.text)")
            let goal = try Self.decode(GoalRecord.self, added)
            let same = body.replacing("{\"title\"", with: "{\"id\":\"\(goal.id)\",\"title\"")
            #expect(try await gateway.request("POST", "/api/goals", same).status == 200)
            #expect(
                try await gateway.request("POST", "/api/goals", same.replacing("\"Run\"", with: "\"Swim\"")).status
                    == 409)
            let action = try await gateway.request(
                "POST", "/api/actions", #"{"title":"Ran","amounts":[{"amount":4,"unit":"km"}]}"#)
            #expect(action.status == 201, "\(action.text)")
            let logged = try Self.decode(ActionRecord.self, action)
            #expect(logged.day == today && logged.contributions?.first?.goal == goal.id)
            let progress = try Self.decode(
                GoalProgress.self, try await gateway.request("GET", "/api/goals/\(goal.id)/progress"))
            #expect(progress.achieved == 4 && progress.days?.count == 1)
            let list = try Self.decode(
                GoalList.self, try await gateway.request("GET", "/api/goals?progress=true&q=RUN&on=\(today)"))
            #expect(list.goals.first?.progress?.fraction == 0.4 && list.goals.first?.progress?.days == nil)
            let now = try Self.decode(GoalsToday.self, try await gateway.request("GET", "/api/goals/today"))
            #expect(now.actions.map(\.id) == [logged.id] && now.goals.first?.progress?.isDone == true)

            let changed = try await gateway.request(
                "PATCH", "/api/goals/\(goal.id)",
                #"{"target":{"amount":20,"unit":"km"},"notes":null,"reason":"Better"}"#)
            #expect(changed.status == 200 && changed.text.contains("\"amount\":20"))
            let history = try Self.decode(
                GoalChangeList.self,
                try await gateway.request("GET", "/api/goals/history?table=goals&id=\(goal.id)"))
            #expect(history.changes.first?.reason == "Better" && history.changes.first?.actor == "anonymous")
            let turn = try #require(history.changes.first?.turn)
            let undone = try await gateway.request("POST", "/api/goals/undo", #"{"turn":"\#(turn)"}"#)
            #expect(undone.status == 200, "\(undone.text)")
            let back = try Self.decode(GoalRecord.self, try await gateway.request("GET", "/api/goals/\(goal.id)"))
            #expect(back.target?.amount == 10 && back.changes.isEmpty)
            let past = try await gateway.request("GET", "/api/goals/\(goal.id)?as_of=\(history.changes[0].number)")
            #expect(past.text.contains("\"amount\":20"))
            #expect(try await gateway.request("PUT", "/api/goals/\(goal.id)/skips/\(today)").status == 200)
            #expect(try await gateway.request("DELETE", "/api/goals/\(goal.id)/skips/\(today)").status == 200)
            #expect(try await gateway.request("DELETE", "/api/goals/\(goal.id)").status == 204)
            #expect(try await gateway.request("GET", "/api/goals/\(goal.id)").status == 404)
            #expect(try await gateway.request("DELETE", "/api/goals/\(goal.id)").status == 404)
        }
    }

    @Test(arguments: [false, true]) func `words become a proposal that is confirmed once`(onServer: Bool) async throws {
        guard let settings = try await Self.settings(onServer: onServer) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let reply = try await gateway.request("POST", "/api/actions/parse", #"{"text":"swam 1 km in 30 min"}"#)
            let proposal = try Self.decode(GoalProposal.self, reply)
            #expect(reply.status == 200 && proposal.state == "open" && proposal.action?.title == "Swim")
            for _ in 0..<2 {
                let done = try await gateway.request("POST", "/api/goals/proposals/\(proposal.id)/confirm")
                #expect(done.status == 200 && done.text.contains("\"confirmed\""), "\(done.text)")
            }
            let actions = try Self.decode(ActionList.self, try await gateway.request("GET", "/api/actions"))
            #expect(actions.actions.count == 1)
            let wrong = try await gateway.request("POST", "/api/actions/parse", #"{"text":"swam 1 km on 31 February"}"#)
            let refused = try Self.decode(GoalProposal.self, wrong)
            #expect(refused.refusals.first?.contains("no such date") == true)
            let confirm = try await gateway.request("POST", "/api/goals/proposals/\(refused.id)/confirm")
            #expect(confirm.status == 409 && confirm.object["code"] as? String == "conflict")
            #expect(try await gateway.request("DELETE", "/api/goals/proposals/\(refused.id)").status == 200)
            let list = try Self.decode(
                GoalProposalList.self, try await gateway.request("GET", "/api/goals/proposals?state=confirmed"))
            #expect(list.proposals.map(\.id) == [proposal.id])
        }
    }

    @Test(arguments: [false, true]) func `what is wrong is named, with the right status`(onServer: Bool) async throws {
        guard let settings = try await Self.settings(onServer: onServer) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let wrong: [(String, String, String?, Int)] = [
                ("GET", "/api/goals?limit=0", nil, 400), ("GET", "/api/goals?on=2026-02-30", nil, 400),
                ("GET", "/api/goals?kind=x", nil, 400), ("GET", "/api/goals/1", nil, 400),
                ("GET", "/api/actions?cursor=1", nil, 400), ("GET", "/api/goals/history?table=x", nil, 400),
                ("GET", "/api/goals/\(UUID().uuidString)", nil, 404),
                ("GET", "/api/goals/\(UUID().uuidString)?as_of=5", nil, 404),
                ("POST", "/api/goals", #"{"title":""}"#, 400), ("POST", "/api/goals", #"{"title":5}"#, 400),
                ("POST", "/api/goals", #"{"title":"A","rule":{"kind":"streak"}}"#, 400),
                ("POST", "/api/goals", #"{"title":"A","schedule":{"kind":"weekdays","weekdays":[9]}}"#, 400),
                ("POST", "/api/goals", #"{"title":"A","target":{"amount":-1,"unit":"km"}}"#, 400),
                ("POST", "/api/actions", "{}", 400),
                ("POST", "/api/actions", #"{"title":"A","day":"2999-01-01"}"#, 400),
                ("POST", "/api/actions/parse", #"{"text":""}"#, 400),
                ("POST", "/api/values", #"{"title":"A","priority":0}"#, 400),
                ("POST", "/api/terms", #"{"start_date":"2026-05-01","target_date":"2026-01-01"}"#, 400),
                ("POST", "/api/measures", #"{"unit":"km//h"}"#, 400), ("POST", "/api/goals/undo", "{}", 400),
                ("POST", "/api/goals/undo", #"{"change":999999}"#, 404),
                ("POST", "/api/goals/reviews", #"{"kind":"x"}"#, 400),
                ("POST", "/api/goals/reviews", #"{"kind":"term"}"#, 404),
                ("POST", "/api/goals/import", "nonsense\n1\n", 400),
            ]
            for (method, path, body, status) in wrong {
                let reply = try await gateway.request(method, path, body)
                #expect(reply.status == status, "\(method) \(path) \(body ?? ""): \(reply.status) \(reply.text)")
                #expect(reply.object["error"] is String && reply.object["code"] is String)
            }
        }
    }

    @Test(arguments: [false, true]) func `values, terms, measures, reviews, import and export answer`(onServer: Bool)
        async throws
    {
        guard let settings = try await Self.settings(onServer: onServer) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let value = try Self.decode(
                ValueRecord.self, try await gateway.request("POST", "/api/values", #"{"title":"Health","priority":3}"#))
            let term = try Self.decode(
                TermRecord.self, try await gateway.request("POST", "/api/terms", #"{"theme":"Health"}"#))
            #expect(term.number == 1 && term.week == 1)
            #expect(try await gateway.request("POST", "/api/terms", #"{"number":1}"#).status == 409)
            let measure = try await gateway.request("POST", "/api/measures", #"{"unit":"km","title":"Kilometres"}"#)
            #expect(measure.status == 201 && measure.object["canonical_unit"] as? String == "m")
            #expect(try await gateway.request("POST", "/api/measures", #"{"unit":"km"}"#).status == 409)
            for path in ["values/\(value.id)", "terms/\(term.id)", "measures/\(measure.object["id"] as? String ?? "")"]
            {
                #expect(try await gateway.request("GET", "/api/\(path)").status == 200)
                #expect(try await gateway.request("PATCH", "/api/\(path)", #"{"notes":"n"}"#).text.contains("\"n\""))
            }
            _ = try await gateway.request("POST", "/api/actions", #"{"title":"Ran","duration_minutes":20}"#)
            let review = try await gateway.request(
                "POST", "/api/goals/reviews", #"{"kind":"week","day":"\#(term.startDate)","save":true}"#)
            #expect(review.status == 200 && review.object["note"] is Int, "\(review.text)")
            let export = try await gateway.request("GET", "/api/goals/export").text
            let again = try await gateway.request(
                "POST", "/api/goals/import", export, headers: [("Content-Type", "application/x-ndjson")])
            #expect(again.status == 200 && again.text.contains("\"refusals\":0"), "\(again.text)")
            #expect(try await gateway.request("GET", "/api/goals/export?format=csv").text.contains("Ran"))
            let rebuilt = try await gateway.request("POST", "/api/goals/rebuild")
            #expect(rebuilt.object["changed"] as? Int == 0)
            let tools = try await gateway.request("GET", "/api/tools")
            #expect(tools.text.contains("log_action") && tools.text.contains("plan_term"))
        }
    }

    @Test(.slow, .ofFile) func `a large foreign write is matched in the background, and reads say so at once`()
        async throws
    {
        try await LiveGateway.with(settings: Self.settings) { gateway in
            let goal = try Self.decode(
                GoalRecord.self,
                try await gateway.request(
                    "POST", "/api/goals",
                    #"{"title":"Run","target":{"amount":9,"unit":"km"},"start_date":"2016-01-01","keywords":["run"]}"#))
            let other = try gateway.otherProgram()
            try await other.write { database in
                try database.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 6000)
                        INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount)
                        SELECT printf('00000000-0000-4000-8000-%012d', i), 'Run',
                        date('2016-01-01', '+' || (i / 20) || ' days') || 'T08:00:00Z', '{"km": 0.1}' FROM n
                        """)
            }
            try other.close()
            let actions = try Self.decode(ActionList.self, try await gateway.request("GET", "/api/actions?limit=20"))
            // It waited for a part only. What was logged last is there.
            #expect((2000..<6000).contains(actions.matching?.waiting ?? 0))
            #expect(actions.actions.first?.day == "2016-10-26")
            #expect(actions.actions.first?.contributions?.first?.goal == goal.id)
            let goals = try Self.decode(GoalList.self, try await gateway.request("GET", "/api/goals?progress=true"))
            #expect((goals.matching?.waiting ?? 0) > 2000 && (goals.goals.first?.progress?.entries ?? 0) < 4000)
            let today = try Self.decode(GoalsToday.self, try await gateway.request("GET", "/api/goals/today"))
            #expect((today.matching?.waiting ?? 0) > 0)
            try await waitUntil(within: .seconds(120)) {
                try Self.decode(ActionList.self, try await gateway.request("GET", "/api/actions?limit=1")).matching
                    == nil
            }
            let progress = try Self.decode(
                GoalProgress.self, try await gateway.request("GET", "/api/goals/\(goal.id)/progress"))
            #expect(progress.entries == 6000 && progress.achieved == 600 && progress.matching == nil)
            let rebuilt = try await gateway.request("POST", "/api/goals/rebuild")
            #expect(rebuilt.object["changed"] as? Int == 0 && rebuilt.object["contributions"] as? Int == 6000)
        }
    }
}
