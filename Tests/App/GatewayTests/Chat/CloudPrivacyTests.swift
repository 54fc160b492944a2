import FakeOllama
import Foundation
import Gateway
import GatewayAPI
import GatewayTestSupport
import Server
import Storage
import TestSupport
import Testing

/// What the upstream gets for models of Ollama's cloud: each feature, with each kind of name.
@Suite(.serialized) struct CloudPrivacy {
    /// Only the private note has this word.
    private static let secret = "Skagen"

    /// The names of models that run elsewhere.
    static let names = [
        "kimi-k2.5:cloud", "gpt-oss:120b-cloud", "GPT-OSS:120B-CLOUD", "stub", "listed", "embed-x:cloud",
        "listed-embed", "fast",
    ]

    enum Feature: String, CaseIterable {
        case chat, tools, history, judge, compression, threads, memories, goals, backfill, rerank
    }

    private func options(_ lines: [FakeOllama.Script.Line]) -> FakeOllama.Options {
        var options = FakeOllama.Options()
        options.cloudModels = ["stub"]
        options.listedCloudModels = ["listed", "listed-embed"]
        options.hostedModels = ["kimi-k2.5:cloud", "gpt-oss:120b-cloud", "embed-x:cloud"]
        options.script = FakeOllama.Script(lines)
        return options
    }

    private static let notes = [
        NoteDraft(title: "harbour", content: "The secret anchorage is at Skagen.", createdAt: 1, tags: ["private"]),
        NoteDraft(title: "chart", content: "No anchorage is marked on the chart.", createdAt: 2),
        NoteDraft(title: "pilot", content: "The pilot knows an anchorage.", createdAt: 3),
    ]

    /// Uses a feature with a model that runs elsewhere, in a gateway with a private note.
    private func use(_ feature: Feature, _ model: String, _ gateway: LiveGateway) async throws {
        switch feature {
        case .chat: _ = try await gateway.answer("Where is the secret anchorage?", ["model": model])
        case .tools: _ = try await gateway.answer("hello?", ["model": model])
        case .history:
            _ = try await gateway.answer("Where is the secret anchorage?", ["session": "s"])
            _ = try await gateway.answer("and why?", ["session": "s", "model": model])
        case .judge: _ = try await gateway.answer("Where is the secret anchorage?")
        case .compression:
            _ = try await gateway.answer("Where is the secret anchorage?", ["session": "s"])
            for number in 0..<8 {
                let body = #"{"role":"\#(number % 2 == 0 ? "user" : "assistant")","content":"message \#(number)"}"#
                try await gateway.done("POST", "/api/sessions/s/messages", body, 201)
            }
            _ = try await gateway.request(
                "POST", "/api/sessions/s/compress", #"{"model":"\#(model)"}"#)
            try await waitForJobs(gateway)
        case .threads:
            let job = try await gateway.request("POST", "/api/jobs/threads")
            _ = try await gateway.request("GET", "/api/jobs/\(job.object["id"] as? Int64 ?? 0)/events")
        case .memories:
            _ = try await gateway.answer("I live at Skagen since May.")
            let job = try await gateway.request("POST", "/api/jobs/memories")
            _ = try await gateway.request("GET", "/api/jobs/\(job.object["id"] as? Int64 ?? 0)/events")
        case .goals:
            _ = try await gateway.request(
                "POST", "/api/actions/parse", #"{"text":"zorbed 5 km to Skagen","turn":"t1"}"#)
        case .backfill:
            let job = try await gateway.request("POST", "/api/jobs/backfill", #"{"model":"\#(model)"}"#)
            _ = try await gateway.request("GET", "/api/jobs/\(job.object["id"] as? Int64 ?? 0)/events")
        case .rerank:
            _ = try await gateway.request(
                "POST", "/api/notes/retrieve", #"{"query":"anchorage","mode":"keyword","rerank":true}"#)
        }
    }

    private func waitForJobs(_ gateway: LiveGateway) async throws {
        try await waitUntil {
            let jobs = try await gateway.done("GET", "/api/jobs?limit=50").objects("jobs")
            return jobs.allSatisfy { ["done", "failed", "cancelled"].contains($0["state"] as? String ?? "") }
        }
    }

    private static func settings(_ feature: Feature, _ model: String) -> [String: String] {
        let own: [String: String] =
            switch feature {
            case .chat, .tools, .history, .compression, .backfill: [:]
            case .judge: ["citations_model": model]
            case .threads: ["threads_model": model]
            case .memories: ["memories": "on", "memories_model": model]
            case .goals: ["goals_model": model]
            case .rerank: ["rerank_model": model, "rerank_timeout": "20"]
            }
        return own.merging(
            ["private": "tag:private", "goals_zone": "UTC", "model_aliases": "fast=gpt-oss:120b-cloud"]) { $1 }
    }

    private static func script(_ feature: Feature) -> [FakeOllama.Script.Line] {
        switch feature {
        case .tools: [.call("find_text", #"{"text":"Skagen"}"#), .call("read_note", #"{"note":1}"#), .text("Nothing.")]
        case .judge, .history, .compression: [.text("The secret anchorage is at Skagen [1].")]
        default: []
        }
    }

    /// What was asked of the model elsewhere, with the names that it may have on the wire.
    private func sent(to model: String, _ gateway: LiveGateway) -> [String] {
        let name = model == "fast" ? "gpt-oss:120b-cloud" : model
        return gateway.fake.received.filter { request in
            request.method == "POST" && !request.target.hasPrefix("/api/show") && request.body.contains("\"\(name)\"")
        }.map(\.body)
    }

    @Test(.slow, arguments: Feature.allCases, CloudPrivacy.names)
    func `a model elsewhere gets no private text`(feature: Feature, model: String) async throws {
        try await LiveGateway.with(options(Self.script(feature)), settings: Self.settings(feature, model)) { gateway in
            _ = try await gateway.store.notes.insert(Self.notes)
            try await use(feature, model, gateway)
            let bodies = sent(to: model, gateway)
            let told = bodies.filter { body in
                // The model's own call comes back to it.
                feature == .tools ? body.contains("secret anchorage") : body.contains(Self.secret)
            }
            #expect(told.isEmpty, "\(told.first?.prefix(600) ?? "")")
            let isChat = [.chat, .tools, .history].contains(feature) && !model.contains("embed")
            if isChat { #expect(!bodies.isEmpty, "nothing was asked of \(model)") }
        }
    }

    @Test func `a local model gets the note`() async throws {
        try await LiveGateway.with(options([]), settings: Self.settings(.chat, "")) { gateway in
            _ = try await gateway.store.notes.insert(Self.notes)
            _ = try await gateway.answer("Where is the secret anchorage?")
            #expect(sent(to: "llama3.2", gateway).contains { $0.contains(Self.secret) })
        }
    }

    @Test func `queries that a model on this machine wrote are not embedded elsewhere`() async throws {
        let lines = [FakeOllama.Script.Line.call("search_notes", #"{"query":"Skagen anchorage"}"#), .text("Found.")]
        try await LiveGateway.with(options(lines), settings: ["embed_model": "embed-x:cloud"]) { gateway in
            _ = try await gateway.store.notes.insert(Self.notes)
            let job = try await gateway.request("POST", "/api/jobs/backfill", #"{"model":"listed-embed"}"#)
            _ = try await gateway.request("GET", "/api/jobs/\(job.object["id"] as? Int64 ?? 0)/events")
            _ = try await gateway.answer("When is the tide?")
            #expect(!gateway.fake.received.contains { $0.target == "/api/embed" && $0.body.contains(Self.secret) })
        }
    }

    // MARK: Without the cloud

    private static let routes = [
        ("POST", "/api/chat", #"{"model":"NAME","messages":[{"role":"user","content":"secret"}]}"#),
        ("POST", "/api/generate", #"{"model":"NAME","prompt":"secret"}"#),
        ("POST", "/api/embed", #"{"model":"NAME","input":"secret"}"#),
        ("POST", "/api/embeddings", #"{"model":"NAME","prompt":"secret"}"#),
        ("POST", "/api/show", #"{"model":"NAME","x":"secret"}"#),
        ("POST", "/api/pull", #"{"model":"NAME","x":"secret"}"#),
        ("POST", "/v1/chat/completions", #"{"messages":[{"role":"user","content":"secret"}],"model":"NAME"}"#),
        ("POST", "/v1/completions", #"{"model":"NAME","prompt":"secret"}"#),
        ("POST", "/v1/embeddings", #"{"model":"NAME","input":"secret"}"#),
        ("POST", "/v1/responses", #"{"model":"NAME","input":"secret"}"#),
        ("POST", "/v1/messages", #"{"model":"NAME","messages":[]}"#),
        ("POST", "/api/llm/generate", #"{"model":"NAME","prompt":"secret"}"#),
        ("POST", "/api/llm/embed", #"{"model":"NAME","text":"secret"}"#),
    ]

    @Test(.slow, arguments: CloudPrivacy.names)
    func `SELENE_CLOUD=off refuses such models on all routes`(model: String) async throws {
        let settings = ["cloud": "off", "model_aliases": "fast=gpt-oss:120b-cloud"]
        try await LiveGateway.with(options([]), settings: settings) { gateway in
            for (method, path, body) in Self.routes {
                // A stub may be described and pulled: both stay between the gateway and this machine.
                if ["stub", "listed", "listed-embed", "fast"].contains(model),
                    ["/api/show", "/api/pull"].contains(path)
                {
                    continue
                }
                let reply = try await gateway.request(method, path, body.replacing("NAME", with: model))
                #expect(reply.status == 403, "\(path) \(reply.status) \(reply.text)")
                #expect(reply.text.contains("SELENE_CLOUD"), "\(path) \(reply.text)")
            }
            #expect(!gateway.fake.received.contains { $0.body.contains("secret") })
            let run = try await gateway.answer("hello there, tide?", ["model": model]).run
            #expect(run.state == .failed && run.error?.contains("SELENE_CLOUD") == true, "\(run.error ?? "")")
            let local = try await gateway.request(
                "POST", "/api/generate", #"{"model":"llama3.2","prompt":"x","stream":false}"#)
            #expect(local.status == 200)
        }
    }

    @Test func `a form, a stub that is deleted, and other bodies without the cloud`() async throws {
        try await LiveGateway.with(options([]), settings: ["cloud": "off"]) { gateway in
            func form(_ model: String) -> String {
                "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n\(model)\r\n--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx\r\n--b--\r\n"
            }
            let type = [(name: "Content-Type", value: "multipart/form-data; boundary=b")]
            let away = try await gateway.request(
                "POST", "/v1/audio/transcriptions", form("whisper:CLOUD"), headers: type)
            #expect(away.status == 403 && away.text.contains("SELENE_CLOUD"))
            let here = try await gateway.request(
                "POST", "/v1/audio/transcriptions", form("whisper:small"), headers: type)
            #expect(here.status != 403)
            let hidden = try await gateway.request(
                "POST", "/api/chat", #"{"model":"kimi-k2.5:cloud","messages":[]}"#, headers: type)
            #expect(hidden.status == 403)
            let double = try await gateway.request(
                "POST", "/api/chat", #"{"model":"llama3.2","model":"kimi-k2.5:cloud","messages":[]}"#)
            #expect(double.status == 403)
            #expect(try await gateway.request("DELETE", "/api/delete", #"{"model":"stub"}"#).status == 200)
        }
    }

    @Test func `a public upstream contradicts the setting`() throws {
        let flags = ["database": "/nowhere/n.sqlite", "cloud": "off", "ollama_host": "https://ollama.com"]
        #expect(throws: ConfigurationError.self) {
            try GatewayConfiguration.load(flags: flags, environment: [:], file: nil)
        }
        _ = try GatewayConfiguration.load(
            flags: flags.merging(["ollama_host": "http://10.0.0.2"]) { $1 }, environment: [:], file: nil)
    }
}
