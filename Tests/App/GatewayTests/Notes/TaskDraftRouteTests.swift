import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing
import Transport

/// Drafts of tasks and the calendar over HTTP.
@Suite struct TaskDraftRoutesTests {
    private static func decode<Value: Decodable>(_ type: Value.Type, _ reply: LiveGateway.Reply) throws -> Value {
        try JSONDecoder().decode(type, from: reply.data)
    }

    private static func run(_ gateway: LiveGateway) async throws {
        let begun = try await gateway.request("POST", "/api/jobs/actions")
        #expect(begun.status == 202 || begun.status == 200, "\(begun.text)")
        let job = try decode(Job.self, begun)
        let events = try await gateway.request("GET", "/api/jobs/\(job.id)/events")
        #expect(events.text.contains("\"state\":\"done\""), "\(events.text)")
    }

    private static func drafts(_ gateway: LiveGateway, _ query: String = "") async throws -> TaskDraftList {
        let reply = try await gateway.request("GET", "/api/tasks/drafts\(query)")
        #expect(reply.status == 200, "\(reply.text)")
        return try decode(TaskDraftList.self, reply)
    }

    private static func make(_ gateway: LiveGateway, _ body: String) async throws -> LiveGateway.Reply {
        try await gateway.request("POST", "/api/tasks/drafts", body)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a message of a chat and a text of a person's own give drafts`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            try await gateway.makeThread(1, "House")
            try await gateway.done("PUT", "/api/sessions/s", #"{"title":"t"}"#)
            let text = "The roof leaks [1]. Call the surveyor by Friday [2]. Buy bread for Theo."
            let message = try await gateway.done(
                "POST", "/api/sessions/s/messages", #"{"role":"assistant","content":"\#(text)"}"#, 201)
            let id = try #require(message.object["id"] as? Int)
            let made = try await Self.make(gateway, #"{"message":\#(id)}"#)
            #expect(made.status == 201, "\(made.text)")
            let drafts = try Self.decode(TaskDraftList.self, made).drafts
            #expect(Set(drafts.map(\.title)) == ["Call the surveyor", "Buy bread for Theo"])
            let call = try #require(drafts.first { $0.title == "Call the surveyor" })
            #expect(call.due != nil && call.source.message == Int64(id) && call.source.session == "s")
            #expect(call.source.noteID == 0 && !made.text.contains("note_id") && call.source.start == 20)
            // Again, the same drafts; a span of it, only what is there.
            #expect(
                try Self.decode(TaskDraftList.self, try await Self.make(gateway, #"{"message":\#(id)}"#)).drafts
                    == drafts)
            let roof = try Self.decode(
                TaskDraftList.self, try await Self.make(gateway, #"{"message":\#(id),"range":[0,19],"thread":1}"#))
            #expect(roof.drafts.map(\.title) == ["The roof leaks."] && roof.drafts.first?.thread?.name == "House")
            let own = try Self.decode(
                TaskDraftList.self, try await Self.make(gateway, #"{"text":"Order the tiles by Monday","thread":1}"#))
            #expect(own.drafts.map(\.title) == ["Order the tiles"] && own.drafts.first?.source.message == nil)
            // The job that reads notes leaves them.
            try await Self.run(gateway)
            #expect(try await Self.drafts(gateway).count == 4)
            let confirmed = try await gateway.request(
                "POST", "/api/tasks/drafts/\(try #require(own.drafts.first).id)/confirm")
            #expect(confirmed.status == 201, "\(confirmed.text)")
            let again = try await Self.make(gateway, #"{"text":"Order the tiles by Monday"}"#)
            #expect(again.status == 409, "\(again.text)")
            // A declined one that is asked for again is open again.
            try await gateway.done("DELETE", "/api/tasks/drafts/\(call.id)")
            #expect(
                try Self.decode(TaskDraftList.self, try await Self.make(gateway, #"{"message":\#(id)}"#)).count == 2)
            for body in [
                "{}", #"{"message":\#(id),"text":"x"}"#, #"{"text":""}"#, #"{"message":\#(id),"range":[5,2]}"#,
                #"{"message":\#(id),"range":[0,9999]}"#, #"{"message":\#(id),"range":[1]}"#, #"{"text":"...!"}"#,
                #"{"text":"Buy milk","thread":77}"#,
            ] {
                let refused = try await Self.make(gateway, body)
                #expect(refused.status == 400, "\(body): \(refused.text)")
            }
            #expect(try await Self.make(gateway, #"{"message":9999}"#).status == 404)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a check box of a note is a task at once, and is ticked in the note`(_ place: NotesPlace) async throws {
        let settings = ["goals_zone": "UTC", "workflows": "actions"]
        try await LiveGateway.with(notesIn: place, settings: settings) { gateway in
            let text =
                "Call the surveyor by Friday.\\n\\n- [ ] Öl kaufen\\n- [x] Buy flour\\n  1. [ ] Water the tomatoes\\n"
            let made = try await gateway.done("POST", "/api/notes", #"{"title":"House","content":"\#(text)"}"#, 201)
            let note = try #require(made.object["id"] as? Int)
            // Without a job in between.
            let drafts = try await Self.drafts(gateway).drafts
            #expect(drafts.map(\.title) == ["Water the tomatoes", "Öl kaufen", "Call the surveyor"])
            #expect(drafts.map(\.box) == [true, true, nil])

            let path = "/api/tasks/drafts/\(drafts[1].id)/done"
            let ticked = try await gateway.done("POST", path)
            #expect(ticked.object["title"] as? String == "Öl kaufen")
            let now = try await gateway.done("GET", "/api/notes/\(note)").object["content"] as? String
            #expect(
                now?.contains("- [x] Öl kaufen\n- [x] Buy flour\n  1. [ ] Water the tomatoes") == true, "\(now ?? "")")
            #expect(try await Self.drafts(gateway).drafts.map(\.title) == ["Water the tomatoes", "Call the surveyor"])
            #expect(try await gateway.request("POST", path).status == 404)
            let sentence = try await gateway.request("POST", "/api/tasks/drafts/\(drafts[2].id)/done")
            #expect(sentence.status == 409 && sentence.error.contains("no check box"), "\(sentence.text)")

            // A line that moved since the list was read is ticked where it is now.
            let moved = ##"{"content":"# House\n\nä new line\n\n* [ ] Water the tomatoes"}"##
            try await gateway.done("PATCH", "/api/notes/\(note)", moved)
            try await gateway.done("POST", "/api/tasks/drafts/\(drafts[0].id)/done")
            let last = try await gateway.done("GET", "/api/notes/\(note)").object["content"] as? String
            #expect(last == "# House\n\nä new line\n\n* [x] Water the tomatoes")
            #expect(try await Self.drafts(gateway).drafts.isEmpty)
        }
    }

    @Test func `without the workflow a list of tasks reads no notes`() async throws {
        try await LiveGateway.with(settings: ["goals_zone": "UTC", "workflows": "off"]) { gateway in
            try await gateway.done("POST", "/api/notes", #"{"title":"House","content":"- [ ] Buy oil"}"#, 201)
            #expect(try await Self.drafts(gateway).drafts.isEmpty)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a note's tasks are found, changed, confirmed and declined`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place, settings: ["goals_zone": "UTC"]) { gateway in
            try await gateway.makeThread(1, "House")
            let note =
                #"{"title":"House","content":"Call the surveyor by Friday. Buy bread for Theo. Send Bo the key."}"#
            #expect(try await gateway.request("POST", "/api/notes", note).status == 201)
            try await Self.run(gateway)
            let first = try await Self.drafts(gateway, "?limit=2")
            #expect(first.count == 2 && first.drafts.map(\.title) == ["Send Bo the key", "Buy bread for Theo"])
            let cursor = try #require(first.nextCursor)
            let rest = try await Self.drafts(gateway, "?cursor=\(cursor)")
            let draft = try #require(rest.drafts.first)
            #expect(
                rest.count == 1 && draft.title == "Call the surveyor"
                    && draft.thingsLink?.hasPrefix("things:///add?") == true)

            let path = "/api/tasks/drafts/\(draft.id)"
            let lacking = try await gateway.request("POST", "\(path)/confirm")
            #expect(lacking.status == 400 && lacking.error.contains("thread"), "\(lacking.text)")
            let changed = try await gateway.request(
                "PATCH", path, #"{"title":"Ring the surveyor","due":null,"thread":1}"#)
            #expect(changed.status == 200 && !changed.text.contains("\"due\""), "\(changed.text)")
            let confirmed = try await gateway.request("POST", "\(path)/confirm", #"{"due":"2026-12-24"}"#)
            #expect(confirmed.status == 201, "\(confirmed.text)")
            let task = try Self.decode(TaskRecord.self, confirmed)
            #expect(task.title == "Ring the surveyor" && task.due == "2026-12-24" && task.thread?.name == "House")
            #expect(try await gateway.request("POST", "\(path)/confirm").status == 200)
            #expect(try await gateway.request("DELETE", path).status == 409)
            #expect(try await gateway.request("PATCH", path, #"{"title":"x"}"#).status == 409)

            let other = first.drafts[0].id
            #expect(try await gateway.request("DELETE", "/api/tasks/drafts/\(other)").status == 200)
            #expect(
                try await gateway.request("POST", "/api/tasks/drafts/\(other)/confirm", #"{"thread":1}"#).status == 409)
            try await Self.run(gateway)
            #expect(try await Self.drafts(gateway).drafts.map(\.title) == ["Buy bread for Theo"])
            let created = try await gateway.request("POST", "/api/tasks", #"{"title":"Paint the fence","thread":1}"#)
            #expect(created.status == 201, "\(created.text)")
            let tasks = try Self.decode(TaskList.self, try await gateway.request("GET", "/api/tasks"))
            #expect(tasks.tasks.map(\.title) == ["Ring the surveyor", "Paint the fence"])
            // The same titles for a thread's list and for models.
            let ofThread = try await gateway.done("GET", "/api/threads/1/tasks").objects("tasks")
            #expect(Set(ofThread.compactMap { $0["title"] as? String }) == ["Ring the surveyor", "Paint the fence"])
            let told = try await gateway.done("POST", "/api/tools/thread_tasks", #"{"arguments":{"thread":1}}"#).text
            #expect(told.contains("Paint the fence") && !told.contains("without a title"))
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `wrong values are refused`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            for (method, path, body, status) in [
                ("GET", "/api/tasks/drafts?limit=0", nil, 400), ("GET", "/api/tasks/drafts?cursor=1_2", nil, 400),
                ("PATCH", "/api/tasks/drafts/1", "{}", 400), ("PATCH", "/api/tasks/drafts/x", #"{"title":"a"}"#, 400),
                ("PATCH", "/api/tasks/drafts/1", #"{"due":"soon"}"#, 400),
                ("PATCH", "/api/tasks/drafts/1", #"{"title":""}"#, 400),
                ("PATCH", "/api/tasks/drafts/1", #"{"title":"a"}"#, 404),
                ("POST", "/api/tasks/drafts/1/confirm", #"{"thread":"a"}"#, 400),
                ("POST", "/api/tasks/drafts/1/confirm", nil, 404), ("DELETE", "/api/tasks/drafts/1", nil, 404),
                ("POST", "/api/tasks", #"{"title":"a"}"#, 400),
                ("POST", "/api/tasks", #"{"title":"a","thread":9}"#, 400),
                ("POST", "/api/tasks", #"{"title":"a","thread":9,"due":"soon"}"#, 400),
                ("POST", "/api/jobs/actions", #"{"days":0}"#, 400), ("GET", "/api/tasks.ics?state=done", nil, 400),
            ] as [(String, String, String?, Int)] {
                let reply = try await gateway.request(method, path, body)
                #expect(reply.status == status, "\(method) \(path): \(reply.text)")
                #expect(!reply.error.isEmpty && !reply.code.isEmpty)
            }
        }
    }

    @Test(.ofFile) func `a calendar program reads the tasks with the key as its password`() async throws {
        try await LiveGateway.with(settings: ["api_token": "secret-token"]) { gateway in
            try await gateway.execute(
                """
                INSERT INTO threads (id, name, created_at) VALUES (1, 'House', '2026-01-01');
                INSERT INTO thread_tasks (id, thread_id, created_at) VALUES (4, 1, '2026-01-01'), (5, 1, '2026-01-01');
                INSERT INTO gateway_task_details (task_id, title, due, completed_at)
                VALUES (4, 'Call, then write', '2026-11-27', NULL), (5, 'Done', NULL, '2026-01-02 10:00:00')
                """)
            func get(_ path: String, _ authorization: String?) async throws -> LiveGateway.Reply {
                try await gateway.request("GET", path, headers: authorization.map { [("Authorization", $0)] } ?? [])
            }
            func basic(_ text: String) -> String { "Basic \(Data(text.utf8).base64EncodedString())" }
            let missing = try await get("/api/tasks.ics", nil)
            #expect(missing.status == 401)
            #expect(
                missing.head.headers.contains {
                    $0.name.lowercased() == "www-authenticate" && $0.value.hasPrefix("Basic")
                })
            let calendar = try await get("/api/tasks.ics", basic("anyone:secret-token"))
            #expect(calendar.status == 200, "\(calendar.text)")
            #expect(
                calendar.text.contains("SUMMARY:Call\\, then write\r\nDUE;VALUE=DATE:20261127\r\nCATEGORIES:House\r\n"))
            #expect(!calendar.text.contains("Done") && calendar.text.hasPrefix("BEGIN:VCALENDAR\r\n"))
            #expect(calendar.head.headers.contains { $0.value == "text/calendar; charset=utf-8" })
            let all = try await get("/api/tasks.ics?state=all", "Bearer secret-token")
            #expect(all.text.contains("STATUS:COMPLETED\r\nCOMPLETED:20260102T100000Z"))
            for wrong in [basic("secret-token:"), basic("a:b"), basic("secret-token"), "Basic %%%", "Basic"] {
                #expect([401, 403].contains(try await get("/api/tasks.ics", wrong).status), "\(wrong)")
            }
            #expect(try await get("/api/tasks", basic("anyone:secret-token")).status == 200)
            #expect(try await get("/api/tasks.icsx", basic("anyone:secret-token")).status == 404)
        }
    }

    @Test func `two servers on one file do each daily job once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-two-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = ["goals_zone": "UTC", "workflows": "briefing,actions,threads", "briefing_at": "00:00"]
        let first = try await LiveGateway.start(folder: folder, .init(), settings: settings)
        let second = try await LiveGateway.start(folder: folder, .init(), settings: settings)
        let kinds: [Job.Kind] = [.briefing, .actions, .threads]
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(40)
        var jobs: [Job] = []
        // A job that runs has not said yet whether it works.
        while clock.now < deadline,
            jobs.contains(where: { $0.state == .running })
                || !kinds.allSatisfy({ kind in jobs.contains { $0.kind == kind && $0.state == .done } })
        {
            jobs = try Self.decode(JobList.self, try await first.request("GET", "/api/jobs")).jobs
            try await Task.sleep(for: .milliseconds(50))
        }
        let briefing = try Self.decode(Briefing.self, try await first.request("GET", "/api/briefing/today"))
        #expect(try Self.decode(Briefing.self, try await second.request("GET", "/api/briefing/today")) == briefing)
        for kind in [Job.Kind.actions, .threads] {
            let worked = jobs.filter { $0.kind == kind && $0.message != "the workflow ran today" }
            #expect(worked.count == 1, "\(kind) \(jobs)")
        }
        #expect(jobs.contains { $0.kind == .briefing && $0.state == .done })
        await first.stop()
        await second.stop()
    }

    @Test(arguments: NotesPlace.allCases)
    func `the workflow reads notes at its time, once a day`(_ place: NotesPlace) async throws {
        let settings = ["goals_zone": "UTC", "workflows": "actions", "briefing_at": "00:00"]
        try await LiveGateway.with(notesIn: place, settings: settings) { gateway in
            let clock = ContinuousClock()
            let deadline = clock.now + .seconds(20)
            var jobs: [Job] = []
            while clock.now < deadline, !jobs.contains(where: { $0.kind == .actions && $0.state == .done }) {
                jobs = try Self.decode(JobList.self, try await gateway.request("GET", "/api/jobs")).jobs
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(jobs.filter { $0.kind == .actions }.map(\.state) == [.done])
            let again = try await gateway.request("POST", "/api/jobs/actions", #"{"daily":true}"#)
            let job = try Self.decode(Job.self, again)
            let events = try await gateway.request("GET", "/api/jobs/\(job.id)/events")
            #expect(events.text.contains("the workflow ran today"), "\(events.text)")
        }
    }
}
