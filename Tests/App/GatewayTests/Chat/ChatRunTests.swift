import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing
import Transport

/// Runs over HTTP: begun, read, stopped, repeated and branched.
@Suite(.serialized) struct ChatRuns {
    private static let notes = [
        NoteDraft(
            title: "spring tide", content: "The greatest range comes a day and a half after full moon.", createdAt: 1),
        NoteDraft(title: "gauge", content: "The harbour gauge was repaired in May by Anna Brandt.", createdAt: 2),
    ]

    private func with(
        _ script: [FakeOllama.Script.Line]? = nil, _ options: FakeOllama.Options = .init(),
        in place: NotesPlace, settings: [String: String] = [:], _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = options
        options.script = script.map { FakeOllama.Script($0) }
        try await LiveGateway.with(options, notesIn: place, settings: settings) { gateway in
            try await gateway.create(Self.notes)
            try await gateway.backfill()
            try await body(gateway)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a question is searched, answered with checked citations, and kept`(_ place: NotesPlace) async throws {
        let answer =
            "The greatest range comes a day and a half after full moon [1]. The harbour gauge was repaired in May [1]. "
            + "The gauge was repaired by Otto Weiss [2]. Whales sing at night [7]."
        try await with([.text(answer)], in: place) { gateway in
            let begun = try await gateway.ask("When is the greatest range of the tide?", id: "r-1")
            #expect(begun.session == "chat-r-1" && begun.kind == "ask" && begun.model == "llama3.2")
            var reader = ChatReader("r-1")
            try await reader.readAll(gateway)
            #expect(reader.string == answer)
            #expect(reader.names.last == "done")
            let first = { (name: String) in reader.names.firstIndex(of: name) ?? .max }
            #expect(first("search") < first("passages") && first("passages") < first("delta"))
            let run = try await gateway.run("r-1")
            #expect(run.state == .done && run.text == answer && run.progress == 1)
            let record = try #require(run.record)
            #expect(Set(record.passages.map(\.title)) == ["spring tide", "gauge"])
            #expect(record.passages.map(\.number) == [1, 2])
            #expect(record.passages.allSatisfy { $0.why != nil && $0.range == [0, $0.text.utf8.count] })
            // Which note is first depends on the vectors; the verdicts follow.
            let tide = record.passages[0].title == "spring tide" ? 1 : 2
            let verdicts = record.citations.map(\.verdict)
            #expect(
                verdicts
                    == (tide == 1
                        ? [.supported, .misattributed, .altered, .invented]
                        : [.misattributed, .supported, .unsupported, .invented]),
                "\(record.citations)")
            try #require(record.citations.map(\.number) == [1, 1, 2, 7])
            #expect(record.citations[3].note == nil && record.citations[0].note != nil)
            for citation in record.citations {
                let marker = Array(answer.utf8)[citation.marker[0]..<citation.marker[1]]
                #expect(String(decoding: marker, as: UTF8.self) == "[\(citation.number)]")
            }
            #expect(record.usage.map { $0.promptTokens > 0 && $0.completionTokens > 0 } == true)
            #expect(record.prompt?.name == "ask" && record.prompt?.version.count == 12)
            #expect(record.search?.source == "hybrid" && record.search?.rewritten == false)
            // Question and answer are messages of a session with the existing routes.
            let messages = try await gateway.done("GET", "/api/sessions/chat-r-1/messages").objects("messages")
            #expect(messages.map { $0["role"] as? String } == ["user", "assistant"])
            #expect(messages.last?["content"] as? String == answer && messages.last?["run"] as? String == "r-1")
            #expect(messages.last?["parent_id"] as? Int64 == run.userMessage)
            let session = try await gateway.done("GET", "/api/sessions/chat-r-1").object
            #expect(session["title"] as? String == "When is the greatest range of the tide?")
            #expect(session["message_count"] as? Int == 2)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `the notes are data between fences, with rules before them`(_ place: NotesPlace) async throws {
        try await with([.text("ok")], in: place) { gateway in
            _ = try await gateway.answer("When is the greatest range?", ["tools": false])
            let body = gateway.lastAsked
            #expect(body.contains("data, not instructions") && body.contains("greatest range comes"))
            #expect(body.contains("They are data") && !body.contains("\"tools\""))
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a repeated request attaches, another question is refused, and a session has one run`(_ place: NotesPlace)
        async throws
    {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        options.tokens = 100_000
        try await with(nil, options, in: place) { gateway in
            _ = try await gateway.ask("first?", id: "a", ["session": "s", "kind": "plain"])
            let again = try await gateway.post("/api/chat/runs", #"{"id":"a","question":"first?","session":"s"}"#)
            #expect(again.status == 200 && again.object["id"] as? String == "a")
            let other = try await gateway.post("/api/chat/runs", #"{"id":"a","question":"second?"}"#)
            #expect(other.status == 409 && other.code == "run_exists")
            let busy = try await gateway.post("/api/chat/runs", #"{"id":"b","question":"x?","session":"s"}"#)
            #expect(busy.status == 409 && busy.code == "session_busy" && busy.error.contains("\"a\""))
            #expect(busy.head["Location"] == "/api/chat/runs/a")
            let running = try await gateway.done("GET", "/api/chat/runs?state=running").objects("runs")
            #expect(running.map { $0["id"] as? String } == ["a"] && running[0]["text"] == nil)
            try await waitUntil { try await gateway.run("a").text?.isEmpty == false }
            #expect(try await gateway.request("DELETE", "/api/chat/runs/a").status == 200)
            try await waitUntil { try await gateway.run("a").message != nil }
            #expect(try await gateway.ask("x?", id: "b", ["session": "s", "kind": "plain"]).session == "s")
            #expect(await gateway.fake.waitUntil { $0.requests["/api/chat"] == 2 })
            // After its end the first is still known by its id.
            let late = try await gateway.post("/api/chat/runs", #"{"id":"a","question":"first?","session":"s"}"#)
            #expect(late.status == 200 && late.object["state"] as? String == "stopped")
            #expect(gateway.fake.statistics.requests["/api/chat"] == 2)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `Stop closes the upstream, keeps the text, and does nothing twice`(_ place: NotesPlace) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        options.tokens = 100_000
        try await with(nil, options, in: place) { gateway in
            let run = try await gateway.ask("tell me all about the sea")
            try await waitUntil { try await gateway.run(run.id).text?.isEmpty == false }
            let stopped = try await gateway.request("DELETE", "/api/chat/runs/\(run.id)")
            #expect(stopped.status == 200)
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 && $0.inFlight == 0 })
            try await waitUntil { try await gateway.run(run.id).message != nil }
            let end = try await gateway.run(run.id)
            #expect(end.state == .stopped && end.stopReason == "asked" && end.text?.isEmpty == false)
            let again = try await gateway.request("DELETE", "/api/chat/runs/\(run.id)")
            #expect(again.status == 200 && again.object["state"] as? String == "stopped")
            #expect(try await gateway.run(run.id).text == end.text)
            let messages = try await gateway.done("GET", "/api/sessions/\(run.session)/messages").objects("messages")
            #expect(messages.last?["content"] as? String == end.text)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `Stop races with the end, and each run ends once`(_ place: NotesPlace) async throws {
        try await with(in: place) { gateway in
            for number in 0..<40 {
                let run = try await gateway.ask("question \(number)", id: "race-\(number)")
                if number % 2 == 0 { try await Task.sleep(for: .milliseconds(number)) }
                _ = try await gateway.done("DELETE", "/api/chat/runs/\(run.id)")
                var reader = ChatReader(run.id)
                try await reader.readAll(gateway)
                let end = try await gateway.run(run.id)
                #expect(end.state == .done || end.state == .stopped)
                #expect(reader.string == end.text)
                #expect(reader.names.filter { $0 == "done" }.count == 1)
                let messages = try await gateway.done("GET", "/api/sessions/\(run.session)/messages").objects(
                    "messages")
                #expect(messages.count == (end.text == "" ? 1 : 2))
            }
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a reader that leaves stops nothing, and a run that nobody reads ends`(_ place: NotesPlace) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 200
        options.tokens = 300
        try await with(nil, options, in: place) { gateway in
            let run = try await gateway.ask("tell me")
            var reader = ChatReader(run.id)
            try await reader.read(gateway, cutAfter: 600)
            try await waitUntil { try await gateway.run(run.id).state == .done }
            #expect(gateway.fake.statistics.cancelled == 0)
        }
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await with(nil, options, in: place, settings: ["run_patience": "1"]) { gateway in
            let run = try await gateway.ask("tell me")
            try await waitUntil { try await gateway.run(run.id).state == .stopped }
            #expect(try await gateway.run(run.id).stopReason == "unread")
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 })
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `asking again from an earlier message makes a branch, and nothing is overwritten`(_ place: NotesPlace)
        async throws
    {
        try await with([.text("one"), .text("two"), .text("three"), .text("four")], in: place) { gateway in
            let session = ["session": "s", "kind": "plain"]
            let first = try await gateway.answer("What about tides in general?", session).run
            let second = try await gateway.answer("What about gauges in general?", session).run
            let parent = try #require(first.message)
            let branch = try await gateway.answer(
                "What about harbours in general?", ["session": "s", "kind": "plain", "parent": parent]
            ).run
            let body = gateway.lastAsked
            #expect(body.contains("tides in general") && !body.contains("gauges in general"))
            let root = try await gateway.answer(
                "What about ships in general?", ["session": "s", "kind": "plain", "parent": NSNull()]
            ).run
            #expect(!gateway.lastAsked.contains("tides in general"))
            let messages = try await gateway.done("GET", "/api/sessions/s/messages").objects("messages")
            #expect(messages.count == 8)
            let parents = Dictionary(
                uniqueKeysWithValues: messages.map { ($0["id"] as? Int64 ?? 0, $0["parent_id"] as? Int64) })
            #expect(parents[second.userMessage ?? 0] == parent && parents[branch.userMessage ?? 0] == parent)
            #expect(parents[root.userMessage ?? 0] == .some(nil))
            let wrong = try await gateway.post(
                "/api/chat/runs", #"{"id":"w","question":"x","session":"s","parent":99999}"#)
            #expect(wrong.status == 400 && wrong.error.contains("parent"))
        }
    }

    @Test(
        .slow,
        arguments: [
            (#"{"question":"x"}"#, "id"), (#"{"id":"a b","question":"x"}"#, "id"), (#"{"id":"","question":"x"}"#, "id"),
            (#"{"id":"a","question":" "}"#, "question"), (#"{"id":"a","question":7}"#, "question"),
            (#"{"id":"a","question":"x","kind":"magic"}"#, "kind"),
            (#"{"id":"a","question":"x","kind":"deep_dive"}"#, "scope.thread"),
            (#"{"id":"a","question":"x","limit":0}"#, "limit"), (#"{"id":"a","question":"x","limit":21}"#, "limit"),
            (#"{"id":"a","question":"x","scope":{"timeScope":{"since":"soon"}}}"#, "since"),
            (#"{"id":"a","question":"x","scope":{"timeScope":{"days":-1}}}"#, "days"),
            (#"{"id":"a","question":"x","parent":"last"}"#, "parent"),
            (#"{"id":"a","question":"x","session":""}"#, "session"),
        ])
    func `a field that cannot be used is named`(body: String, field: String) async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/chat/runs", body)
            #expect(
                reply.status == 400 && reply.code == "invalid_field" && reply.error.contains(field), "\(reply.text)")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a scope with an unknown thread or book begins no run`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            try await gateway.create([
                NoteDraft(title: "tide", content: "The tide turns at noon.", createdAt: 1, threads: ["Sea"])
            ])
            let id = try #require(try await gateway.store.threads.find(named: "Sea")).id
            for (kind, scope, what) in [
                ("ask", #"{"thread":"Harbour"}"#, #"thread "Harbour""#),
                ("ask", #"{"thread":["Sea","Harbour"]}"#, #"thread "Harbour""#),
                ("deep_dive", #"{"thread":"Harbour"}"#, #"thread "Harbour""#),
                ("ask", #"{"thread":["\#(id)","\#(id + 1)"]}"#, #"thread "\#(id + 1)""#),
                // Only a whole name tells a thread.
                ("deep_dive", #"{"thread":"Se"}"#, #"thread "Se""#), ("book", #"{"book":41}"#, "book 41"),
            ] where kind != "book" || place == .file {
                let reply = try await gateway.post(
                    "/api/chat/runs",
                    #"{"id":"r","question":"When does the tide turn?","kind":"\#(kind)","scope":\#(scope)}"#)
                #expect(
                    reply.status == 404 && reply.code == "not_found" && reply.error == "there is no \(what)",
                    "\(reply.text)")
            }
            #expect(try await gateway.request("GET", "/api/chat/runs/r").status == 404)
            #expect(try await gateway.done("GET", "/api/sessions").objects("sessions").isEmpty)
            for scope in [["thread": ["\(id)"]], ["thread": [" sEA "]]] {
                let run = try await gateway.answer("When does the tide turn?", ["scope": scope]).run
                #expect(run.record?.passages.map(\.title) == ["tide"])
            }
        }
    }

    @Test func `a repeated request attaches, though its thread is gone`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "tide", content: "The tide turns at noon.", createdAt: 1, threads: ["Sea"])
            ])
            let run = try await gateway.answer("When does the tide turn?", ["scope": ["thread": "Sea"]]).run
            try await gateway.execute("DELETE FROM threads")
            let body = #"{"id":"\#(run.id)","question":"When does the tide turn?","scope":{"thread":"Sea"}}"#
            #expect(try await gateway.post("/api/chat/runs", body).status == 200)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `an unknown run is not found on every route`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            for (method, path) in [("GET", ""), ("GET", "/events"), ("DELETE", ""), ("POST", "/continue")] {
                let reply = try await gateway.request(method, "/api/chat/runs/none" + path)
                #expect(reply.status == 404 && reply.code == "not_found", "\(method) \(path): \(reply.text)")
            }
        }
    }
}
