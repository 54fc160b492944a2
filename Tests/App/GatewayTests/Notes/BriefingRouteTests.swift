import Database
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Briefings, tasks and questions over HTTP.
@Suite struct BriefingRoutesTests {
    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    @Test(arguments: NotesPlace.allCases)
    func `the first request of a day makes its briefing, and a job makes it anew`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            let first = try await gateway.request("GET", "/api/briefing/today")
            #expect(first.status == 200, "\(first.text)")
            let briefing = try Self.decode(Briefing.self, first)
            #expect(briefing.count == briefing.cards.count && briefing.zone == "UTC")
            let stored = try await gateway.request("GET", "/api/briefing/\(briefing.date)")
            #expect(try Self.decode(Briefing.self, stored) == briefing)
            #expect(try await gateway.request("GET", "/api/briefing/1999-01-01").status == 404)
            #expect(try await gateway.request("GET", "/api/briefing/yesterday").status == 400)
            let begun = try await gateway.request("POST", "/api/jobs/briefing", #"{"again":true}"#)
            #expect(begun.status == 202 || begun.status == 200, "\(begun.text)")
            let job = try Self.decode(Job.self, begun)
            let events = try await gateway.request("GET", "/api/jobs/\(job.id)/events")
            #expect(events.text.contains("\"state\":\"done\""), "\(events.text)")
            #expect(try await gateway.request("POST", "/api/jobs/briefing", #"{"again":1}"#).status == 400)
        }
    }

    @Test func `goals that are due are a card of the briefing until they are logged`() async throws {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            let body = """
                {"title":"Read","target":{"amount":10,"unit":"pages"},"start_date":"2026-01-01",
                 "keywords":["read"],"rule":{"kind":"each","bound":"at_least","window":"day"}}
                """
            let goal = try Self.decode(GoalRecord.self, try await gateway.done("POST", "/api/goals", body, 201))
            let briefing = try Self.decode(Briefing.self, try await gateway.request("GET", "/api/briefing/today"))
            let card = try #require(briefing.cards.first { $0.kind == .goals })
            let due = try #require(card.goals)
            #expect(due.map(\.id) == [goal.id] && due.map(\.title) == ["Read"])
            #expect(due.first?.detail.hasPrefix("0 of ") == true && due.first?.detail.hasSuffix(" days") == true)
            let action = #"{"title":"Read","amounts":[{"amount":12,"unit":"pages"}]}"#
            #expect(try await gateway.request("POST", "/api/actions", action).status == 201)
            let after = try Self.decode(Briefing.self, try await gateway.request("GET", "/api/briefing/today"))
            #expect(!after.cards.contains { $0.kind == .goals })
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `the workflow makes the briefing at its time`(_ place: NotesPlace) async throws {
        let settings = ["goals_zone": "UTC", "workflows": "briefing", "briefing_at": "00:00"]
        try await LiveGateway.with(notesIn: place, settings: settings) { gateway in
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(20)
            var jobs: [Job] = []
            while clock.now < deadline, !jobs.contains(where: { $0.kind == .briefing && $0.state == .done }) {
                jobs = try Self.decode(JobList.self, try await gateway.request("GET", "/api/jobs")).jobs
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(jobs.filter { $0.kind == .briefing }.map(\.state) == [.done])
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `tasks of all threads are listed, and wrong parameters refused`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let reply = try await gateway.request("GET", "/api/tasks")
            #expect(reply.status == 200 && reply.text.contains("\"tasks\":"), "\(reply.text)")
            for query in ["state=closed", "limit=0", "limit=501", "cursor=x", "thread=a"] {
                #expect(try await gateway.request("GET", "/api/tasks?\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a task is done and open again, and has a title and a due day`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            try await gateway.makeThread(1, "House")
            let created =
                gateway.store is GatewayDatabase
                ? "INSERT INTO thread_tasks (id, thread_id, created_at) VALUES (4, 1, '2026-01-01')"
                : "INSERT INTO gateway_tasks (id, thread_id, created_at) VALUES (4, 1, 1767225600)"
            try await gateway.store.run(created)
            func change(_ body: String) async throws -> TaskRecord {
                let reply = try await gateway.request("PATCH", "/api/tasks/4", body)
                #expect(reply.status == 200, "\(reply.text)")
                return try Self.decode(TaskRecord.self, reply)
            }
            let named = try await change(#"{"title":"Call the surveyor","due":"2026-11-27"}"#)
            #expect(named.title == "Call the surveyor" && named.due == "2026-11-27" && named.completedAt == nil)
            let done = try await change(#"{"done":true}"#)
            #expect(done.completedAt != nil && done.due == "2026-11-27")
            #expect(try await change(#"{"done":true}"#).completedAt == done.completedAt)
            let open = try await change(#"{"done":false,"due":null}"#)
            #expect(open.completedAt == nil && open.due == nil && open.title == "Call the surveyor")
            for body in ["{}", #"{"due":"tomorrow"}"#, #"{"done":1}"#, #"{"title":""}"#] {
                #expect(try await gateway.request("PATCH", "/api/tasks/4", body).status == 400, "\(body)")
            }
            #expect(try await gateway.request("PATCH", "/api/tasks/5", #"{"done":true}"#).status == 404)
        }
    }

    @Test func `a question's time, exclusions and phrases narrow a retrieval`() async throws {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            for (title, content, date) in [
                ("Bread in March", "the starter was slow", "2024-03-10"),
                ("Bread in May", "the starter was quick", "2024-05-10"),
                ("Bread and work", "the starter at the office", "2024-03-11"),
            ] {
                let body = #"{"title":"\#(title)","content":"\#(content)","created_at":"\#(date)"}"#
                #expect(try await gateway.request("POST", "/api/notes", body).status == 201)
            }
            func titles(_ question: String) async throws -> (Set<String>, QuestionUnderstood) {
                let body = #"{"query":"\#(question)","analyze":true,"mode":"keyword"}"#
                let reply = try await gateway.request("POST", "/api/notes/retrieve", body)
                #expect(reply.status == 200, "\(reply.text)")
                let found = try Self.decode(RetrieveResponse.self, reply)
                #expect(found.query == question && found.count == found.results.count)
                return (Set(found.results.map(\.note.title)), try #require(found.analysis))
            }
            let (march, meant) = try await titles("What did the starter do in March 2024?")
            #expect(march == ["Bread in March", "Bread and work"])
            #expect(meant.since == "2024-03-01T00:00:00Z" && meant.until == "2024-03-31T23:59:59Z" && meant.applied)
            let (rest, without) = try await titles("Notes on the starter in March 2024, but not about work")
            #expect(rest == ["Bread in March"] && without.excluded == ["work"])
            // A time without notes is no reason to find nothing.
            let (all, missed) = try await titles("What did the starter do in June 2023?")
            #expect(all.count == 3 && !missed.applied && missed.since == "2023-06-01T00:00:00Z")
            let plain = try await gateway.request(
                "POST", "/api/notes/retrieve", #"{"query":"starter","mode":"keyword"}"#)
            #expect(!plain.text.contains("\"analysis\""))
        }
    }
}
