import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// The prompt of a conversation that somebody opens is computed ahead, while nobody needs the model's server.
@Suite(.serialized) struct ChatPrefills {
    private static let events = ["started", "done", "cancelled", "failed", "skipped"]

    private func with(
        _ options: FakeOllama.Options = .init(), in place: NotesPlace = .file,
        settings: [String: String] = [:], _ body: (LiveGateway) async throws -> Void
    ) async throws {
        try await LiveGateway.with(
            options, notesIn: place, settings: settings.merging(["chat_prefill": "on"]) { own, _ in own }, body)
    }

    /// A session of another program with a question and an answer of the gateway behind it, which another question put out of the
    /// server.
    private func fill(
        _ gateway: LiveGateway, _ session: String = "s", messages: Int = 8, model: String = "llama3.2",
        token: String? = nil
    ) async throws {
        try await gateway.done("PUT", "/api/sessions/\(session)", #"{"title":"long"}"#)
        for number in 0..<messages {
            let role = number % 2 == 0 ? "user" : "assistant"
            let text = "message \(number): " + String(repeating: "words of the sea ", count: 50)
            try await gateway.done(
                "POST", "/api/sessions/\(session)/messages", #"{"role":"\#(role)","content":"\#(text)"}"#, 201)
        }
        _ = try await gateway.answer("How deep is the sea?", ["session": session, "model": model])
        _ = try await gateway.answer("Something else entirely?", ["kind": "plain"])
    }

    private func open(_ gateway: LiveGateway, _ session: String = "s") async throws {
        try await gateway.done("GET", "/api/sessions/\(session)/messages?order=newest")
    }

    private func counts(_ gateway: LiveGateway) async throws -> [String: Int] {
        let metrics = try await gateway.metrics()
        return Self.events.reduce(into: [:]) { counts, event in
            let name = #"selene_chat_prefills_total{event="\#(event)"}"#
            if let value = metrics.values[name] { counts[event] = Int(value) }
        }
    }

    private func wait(_ gateway: LiveGateway, for event: String, _ count: Int = 1) async throws {
        try await waitUntil { try await counts(gateway)[event, default: 0] >= count }
    }

    /// The bodies of the requests for answers, and those among them that computed a prompt ahead.
    private func asked(_ gateway: LiveGateway) -> (all: [String], ahead: [String]) {
        let all = gateway.fake.received.filter { $0.target == "/api/chat" }.map(\.body)
        return (all, all.filter { $0.contains(#""num_predict":1,"#) || $0.contains(#""num_predict":1}"#) })
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `the prompt that is computed ahead is the beginning of the next question's`(_ place: NotesPlace) async throws {
        try await with(in: place) { gateway in
            try await gateway.create([
                NoteDraft(title: "depth", content: "The sea is 40 m deep at the harbour.", createdAt: 1)
            ])
            try await fill(gateway)
            let messages = try await gateway.done("GET", "/api/sessions/s/messages?order=oldest&limit=50")
            try await wait(gateway, for: "done")
            let (runs, tokens) = (
                try await gateway.done("GET", "/api/chat/runs").objects("runs").count,
                try await gateway.metrics()[#"selene_chat_tokens_total{kind="prompt"}"#]
            )
            let ahead = try #require(asked(gateway).ahead.first)
            _ = try await gateway.answer("What lives at the greatest depth of it?", ["session": "s"])
            let question = try #require(asked(gateway).all.last)
            // With what an earlier question brought.
            #expect(ahead.contains("40 m deep at the harbour"))
            // All bytes up to the question's own.
            let end = try #require(ahead.range(of: #"{"role":"user","content":"…"}"#))
            #expect(question.hasPrefix(ahead[..<end.lowerBound]) && end.lowerBound.utf16Offset(in: ahead) > 4000)
            let (one, other) = try (Self.object(ahead), Self.object(question))
            #expect(one["tools"] as? NSArray == other["tools"] as? NSArray && one["tools"] != nil)
            #expect(one["model"] as? String == other["model"] as? String)
            let sizes = [one, other].map { ($0["options"] as? [String: Any])?["num_ctx"] as? Int }
            #expect(sizes[0] == sizes[1] && sizes[0] != nil)
            // It was no run and no message, and its tokens count nowhere.
            #expect(runs == 2 && messages.objects("messages").count == 10)
            #expect(try await gateway.done("GET", "/api/sessions/s/messages").objects("messages").count == 12)
            let said = try await gateway.done("GET", "/api/chat/runs").objects("runs")
            #expect(said.count == 3)
            #expect(tokens < (try await gateway.metrics()[#"selene_chat_tokens_total{kind="prompt"}"#]))
        }
    }

    private static func object(_ body: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
    }

    @Test(.slow) func `a prompt that the server has is not computed again, nor is a short one`() async throws {
        try await with { gateway in
            try await fill(gateway)
            try await open(gateway)
            try await wait(gateway, for: "done")
            try await open(gateway)
            try await wait(gateway, for: "skipped")
            // The server has the conversation of the answer that it gave last.
            _ = try await gateway.answer("What lives at the greatest depth of it?", ["session": "s"])
            try await gateway.done("GET", "/api/sessions/s")
            try await wait(gateway, for: "skipped", 2)
            _ = try await gateway.answer("Is this short?", ["session": "short"])
            _ = try await gateway.answer("Something else entirely?", ["kind": "plain"])
            try await open(gateway, "short")
            try await wait(gateway, for: "skipped", 3)
            #expect(try await counts(gateway) == ["started": 1, "done": 1, "skipped": 3])
            #expect(asked(gateway).ahead.count == 1)
        }
    }

    @Test(.slow) func `another request does not wait, cancels it, and it is tried again`() async throws {
        try await with(settings: ["max_in_flight": "1"]) { gateway in
            try await fill(gateway)
            gateway.fake.setFaults(["stall-first=600@/api/chat#1"])
            try await open(gateway)
            try await waitUntil { asked(gateway).ahead.count == 1 }
            // With one place, it would wait for a request that has the place.
            let run = try await gateway.answer("Something new?", ["kind": "plain"]).run
            #expect(run.state == .done)
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 })
            try await wait(gateway, for: "done")
            #expect(try await counts(gateway) == ["started": 2, "cancelled": 1, "done": 1])
        }
    }

    @Test(.slow) func `it waits until nobody needs the server`() async throws {
        try await with { gateway in
            try await fill(gateway)
            gateway.fake.setFaults(["stall-first=600@/api/chat#1"])
            let other = try await gateway.ask("Something long?", ["kind": "plain"])
            try await waitUntil { asked(gateway).all.last?.contains("Something long?") == true }
            try await open(gateway)
            try await gateway.done("DELETE", "/api/chat/runs/\(other.id)")
            try await wait(gateway, for: "done")
            let bodies = asked(gateway).all
            #expect(bodies.last == asked(gateway).ahead.first)
            #expect(try await counts(gateway) == ["started": 1, "done": 1])
        }
    }

    @Test(.slow) func `the question of the conversation ends it, and it is not tried again`() async throws {
        try await with { gateway in
            try await fill(gateway)
            gateway.fake.setFaults(["stall-first=600@/api/chat#1"])
            try await open(gateway)
            try await waitUntil { asked(gateway).ahead.count == 1 }
            let run = try await gateway.answer("What lives at the greatest depth of it?", ["session": "s"]).run
            #expect(run.state == .done)
            try await open(gateway)
            try await wait(gateway, for: "skipped")
            #expect(try await counts(gateway) == ["started": 1, "cancelled": 1, "skipped": 1])
        }
    }

    @Test(.slow) func `it ends with the session, and a model that is not in memory is not loaded`() async throws {
        try await with { gateway in
            try await fill(gateway)
            _ = try await gateway.answer("Is this short?", ["session": "short"])
            gateway.fake.setFaults(["stall-first=600@/api/chat#1"])
            try await open(gateway)
            try await waitUntil { asked(gateway).ahead.count == 1 }
            try await gateway.done("DELETE", "/api/sessions/s")
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 })
            try await open(gateway, "short")
            try await wait(gateway, for: "skipped")
            #expect(try await counts(gateway) == ["started": 1, "cancelled": 1, "skipped": 1])
        }
        var options = FakeOllama.Options()
        options.keepAlive = 0
        try await with(options) { gateway in
            try await fill(gateway)
            try await open(gateway)
            try await wait(gateway, for: "skipped")
            #expect(asked(gateway).ahead.isEmpty)
        }
    }

    @Test(.slow) func `what was read of a book is computed ahead, and nothing beyond the position`() async throws {
        try await with { gateway in
            let reply = try await gateway.request(
                "POST", "/api/books?name=tides.txt", BookRoutesTests.text(200),
                headers: [("Content-Type", "application/octet-stream")])
            let id = try JSONDecoder().decode(Book.self, from: reply.data).id
            func book() async throws -> Book {
                try JSONDecoder().decode(Book.self, from: try await gateway.done("GET", "/api/books/\(id)").data)
            }
            try await waitUntil { try await book().state == .ready }
            _ = try await gateway.answer("Something else entirely?", ["kind": "plain"])
            try await gateway.done("PUT", "/api/books/\(id)/position", #"{"percent":80}"#)
            try await wait(gateway, for: "done")
            let ahead = try #require(asked(gateway).ahead.first)
            #expect(ahead.contains("quay100 ") && !ahead.contains("quay199"))
            _ = try await gateway.answer("Where does quay41 lie?", ["kind": "book", "scope": ["book": id]])
            let question = try #require(asked(gateway).all.last)
            let end = try #require(ahead.range(of: "Question: …"))
            #expect(question.hasPrefix(ahead[..<end.lowerBound]) && question.contains("Question: Where does quay41"))
            let (one, other) = try (Self.object(ahead), Self.object(question))
            #expect(one["tools"] as? NSArray == other["tools"] as? NSArray && one["tools"] != nil)
            // The reader goes on: what the server has stays, and the next page comes behind it.
            try await gateway.done("PUT", "/api/books/\(id)/position", #"{"percent":90}"#)
            try await wait(gateway, for: "done", 2)
            let next = try #require(asked(gateway).ahead.last)
            let page = try #require(ahead.range(of: "quay100 "))
            #expect(next.hasPrefix(ahead[..<page.lowerBound]) && next.count > ahead.count)
        }
    }

    @Test(.slow, arguments: ["away/small", "claude/small", "stub"])
    func `a provider elsewhere gets nothing ahead`(model: String) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = """
                {"away": {"kind": "openai", "url": "\(provider.baseURL)/v1"},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)"}}
                """
            var own = FakeOllama.Options()
            own.cloudModels = ["stub"]
            try await with(own, settings: ["providers": providers]) { gateway in
                try await fill(gateway, model: model)
                let before = (provider.received.count, asked(gateway).all.count)
                try await open(gateway)
                try await wait(gateway, for: "skipped")
                #expect(before == (provider.received.count, asked(gateway).all.count))
                #expect(try await counts(gateway) == ["skipped": 1])
            }
        }
    }

    @Test(.slow) func `a key pays nothing for it, and one without tokens gets none`() async throws {
        try await with { gateway in
            try await fill(gateway)
            let scopes: Set<KeyScope> = [.llm, .notesRead]
            let rich = try await gateway.store.keys.create(name: "rich", grant: KeyGrant(scopes: scopes))
            let poor = try await gateway.store.keys.create(
                name: "poor", grant: KeyGrant(scopes: scopes, tokensPerDay: 1))
            let other = try await gateway.store.keys.create(
                name: "other", grant: KeyGrant(scopes: scopes, models: ["gemma3:270m"]))
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            func open(_ key: NewKey) async throws {
                let header = [(name: "Authorization", value: "Bearer \(key.secret)")]
                let reply = try await gateway.request("GET", "/api/sessions/s", headers: header)
                #expect(reply.status == 200)
            }
            func count(_ event: String) async throws -> Double {
                try await gateway.metrics(token: admin.secret)[#"selene_chat_prefills_total{event="\#(event)"}"#]
            }
            #expect(try await gateway.generate(poor).status == 200)
            #expect(try await gateway.usage(of: poor) { $0.tokens > 0 }.tokens > 0)
            try await open(poor)
            try await waitUntil { try await count("skipped") == 1 }
            try await open(other)
            try await waitUntil { try await count("skipped") == 2 }
            try await open(rich)
            try await waitUntil { try await count("done") == 1 }
            #expect(try await gateway.usage(of: rich) { $0.requests > 0 }.tokens == 0)
            #expect(asked(gateway).ahead.count == 1)
        }
    }
}
