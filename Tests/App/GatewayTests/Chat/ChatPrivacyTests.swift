import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// What may leave the machine: private notes never enter a prompt to a provider elsewhere, and the run says so.
@Suite(.serialized) struct ChatPrivacy {
    private func with(
        _ settings: [String: String] = [:], _ ollama: FakeOllama.Options = .init(), in place: NotesPlace = .file,
        _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = """
                {"away": {"kind": "openai", "url": "\(provider.baseURL)/v1"},
                 "home": {"kind": "openai", "url": "\(provider.baseURL)/v1", "local": true},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)"}}
                """
            let all = settings.merging(["providers": providers]) { $1 }
            try await LiveGateway.with(ollama, notesIn: place, settings: all) { gateway in
                try await gateway.create([
                    NoteDraft(
                        title: "harbour", content: "The secret anchorage is at Skagen.", createdAt: 1, tags: ["Private"]
                    ),
                    NoteDraft(
                        title: "diary", content: "A secret anchorage frightens me.", createdAt: 2, noteType: "diary"),
                    NoteDraft(
                        title: "chart", content: "No anchorage is marked on the chart.", createdAt: 3, threads: ["Sea"]),
                ])
                try await body(gateway, provider)
            }
        }
    }

    /// All that a provider got: questions of chats and of the check of citations.
    private static func sent(to provider: FakeProvider) -> String {
        provider.received.map(\.body).joined(separator: "\n")
    }

    @Test(.slow, arguments: ["away/small", "claude/small"])
    func `a provider elsewhere gets no private note, and the run lists what was withheld`(model: String) async throws {
        try await with(["private": "tag:private, type:diary"]) { gateway, provider in
            let run = try await gateway.answer("Where is the secret anchorage?", ["model": model]).run
            #expect(run.state == .done, "\(run.error ?? "")")
            #expect(run.record?.passages.map(\.title) == ["chart"])
            #expect(run.record?.withheld.sorted() == [1, 2])
            let sent = Self.sent(to: provider)
            #expect(sent.contains("marked on the chart") && !sent.contains("Skagen") && !sent.contains("frightens"))
            #expect(gateway.fake.statistics.requests["/api/chat"] == nil)
        }
    }

    @Test func `Ollama and a provider that is named local get every note`() async throws {
        try await with { gateway, provider in
            let local = try await gateway.answer("Where is the secret anchorage?", ["model": "home/small"]).run
            #expect(local.record?.passages.count == 3 && local.record?.withheld == [])
            #expect(Self.sent(to: provider).contains("Skagen"))
            let own = try await gateway.answer("Where is the secret anchorage?").run
            #expect(own.record?.passages.count == 3 && own.record?.withheld == [])
        }
    }

    @Test(.ofFile) func `texts of a private thread stay here, too`() async throws {
        try await with(["private": "thread:Sea"]) { gateway, provider in
            try await gateway.execute(
                "ALTER TABLE threads ADD COLUMN summary TEXT; UPDATE threads SET summary = 'we sail at dawn'")
            let away = try await gateway.answer(
                "Which anchorage does the chart mark?",
                ["kind": "deep_dive", "scope": ["thread": "Sea"], "model": "away/small"]
            ).run
            #expect(away.record?.passages.isEmpty == true && away.record?.withheld == [3] && away.state == .done)
            let sent = Self.sent(to: provider)
            #expect(!sent.isEmpty)
            #expect(!sent.contains("dawn") && !sent.contains("is marked on"))
            let here = try await gateway.answer(
                "Which anchorage does the chart mark?", ["kind": "deep_dive", "scope": ["thread": "Sea"]]
            ).run
            #expect(here.record?.passages.map(\.title) == ["chart"])
        }
    }

    // MARK: Texts without a note's id

    @Test(
        .slow, .ofFile,
        arguments: [
            ("thread_tasks", #"{"thread":1}"#), ("list_threads", "{}"), ("search_memories", #"{"query":"dawn"}"#),
        ])
    func `what a tool told a model here does not leave with the history`(tool: String, arguments: String) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.call(tool, arguments), .text("You want to sail at dawn.")])
        try await with(["private": "tag:private"], options) { gateway, provider in
            try await gateway.execute(
                "ALTER TABLE threads ADD COLUMN summary TEXT; UPDATE threads SET summary = 'we sail at dawn'")
            let here = try await gateway.answer("What is next?", ["session": "s"]).run
            #expect(here.record?.tools.map(\.state) == [.done] && here.text == "You want to sail at dawn.")
            let away = try await gateway.answer(
                "Which chart has no anchorage?", ["session": "s", "model": "away/small"]
            ).run
            #expect(away.state == .done)
            #expect(!Self.sent(to: provider).contains("sail at dawn"))
            #expect(away.record?.leftOut.contains { $0.part == "history" && $0.count == 1 } == true)
        }
    }

    @Test func `an answer from passages of open notes stays in the history`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([
            .call("find_text", #"{"text":"marked"}"#), .text("The chart has none, says I."),
        ])
        try await with(["private": "tag:private, type:diary"], options) { gateway, provider in
            let here = try await gateway.answer("hello?", ["session": "s", "scope": ["thread": "Sea"]]).run
            let away = try await gateway.answer("Which chart?", ["session": "s", "model": "away/small"]).run
            #expect(here.text == "The chart has none, says I." && here.state == .done && away.state == .done, "\(away)")
            #expect(Self.sent(to: provider).contains("The chart has none, says I."))
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a summary of an answer that must not leave stays here`(_ place: NotesPlace) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([
            .call("list_threads", "{}"), .text("You want to sail at dawn."), .text("They spoke of sailing at dawn."),
        ])
        try await with(["private": "tag:private"], options, in: place) { gateway, provider in
            _ = try await gateway.answer("What is next?", ["session": "s"])
            // The newest messages are not summarised.
            for number in 0..<8 {
                let body = #"{"role":"\#(number % 2 == 0 ? "user" : "assistant")","content":"message \#(number)"}"#
                try await gateway.done("POST", "/api/sessions/s/messages", body, 201)
            }
            #expect(try await gateway.request("POST", "/api/sessions/s/compress").status == 202)
            try await waitUntil {
                try await gateway.done("GET", "/api/sessions/s").object["compression_state"] as? String == "hybrid"
            }
            let away = try await gateway.answer(
                "Which chart has no anchorage?", ["session": "s", "model": "away/small"]
            ).run
            #expect(away.state == .done, "\(away.error ?? "")")
            #expect(!Self.sent(to: provider).contains("at dawn"))
            let here = try await gateway.answer("And which chart?", ["session": "s"]).run
            #expect(here.state == .done)
        }
    }

    // MARK: Tools for callers who get no private notes

    private func call(_ gateway: LiveGateway, _ tool: String, _ arguments: String) async throws -> LiveGateway.Reply {
        try await gateway.done("POST", "/api/tools/\(tool)", #"{"arguments":\#(arguments),"withholds_private":true}"#)
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a search says the same whether private notes match or none`(_ place: NotesPlace) async throws {
        try await with(["private": "tag:private, type:diary"], in: place) { gateway, _ in
            for (tool, field) in [("find_text", "text"), ("search_notes", "query")] {
                let private_ = try await call(gateway, tool, #"{"\#(field)":"Skagen"}"#)
                let nothing = try await call(gateway, tool, #"{"\#(field)":"Xkagenq"}"#)
                #expect(private_.object["text"] as? String == nothing.object["text"] as? String, "\(tool)")
                #expect(private_.objects("passages").isEmpty && nothing.objects("passages").isEmpty)
            }
            // Private notes take no places of the result.
            let one = try await call(gateway, "find_text", #"{"text":"anchorage","limit":1}"#)
            #expect(one.objects("passages").compactMap { $0["title"] as? String } == ["chart"])
            let read = try await call(gateway, "read_note", #"{"note":1}"#).object["text"] as? String
            let missing = try await call(gateway, "read_note", #"{"note":7}"#).object["text"] as? String
            #expect(read == missing?.replacing("7", with: "1"))
        }
    }

    @Test func `names of private threads are compared as everywhere`() async throws {
        try await with(["private": "thread:Straße, thread:ÜBUNG"]) { gateway, _ in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "a", content: "one", createdAt: 4, threads: ["Straße"]),
                NoteDraft(title: "b", content: "two", createdAt: 5, threads: ["Übung"]),
            ])
            for tool in ["list_threads"] {
                let text = try await call(gateway, tool, "{}").text
                #expect(!text.contains("Straße") && !text.contains("bung"), "\(tool): \(text)")
            }
        }
    }

    @Test func `a key that may read no notes gets no run by stopping it`() async throws {
        try await with { gateway, _ in
            let run = try await gateway.answer("Where is the secret anchorage?").run
            let key = try await gateway.store.keys.create(name: "llm", grant: KeyGrant(scopes: [.llm]))
            try await gateway.waitForKeys()
            let headers = [(name: "Authorization", value: "Bearer \(key.secret)")]
            for method in ["GET", "DELETE"] {
                let reply = try await gateway.request(method, "/api/chat/runs/\(run.id)", headers: headers)
                #expect(reply.status == 403 && !reply.text.contains("Skagen"), "\(method) \(reply.status)")
            }
        }
    }
}
