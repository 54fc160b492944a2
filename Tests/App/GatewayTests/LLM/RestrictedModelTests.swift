import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing
import Transport

/// A key with a list of models: what it may send, ask for and see.
@Suite(.serialized) struct RestrictedModels {
    private static let chat = #""messages":[{"role":"user","content":"x"}]"#

    private func withKey(
        _ settings: [String: String] = [:], scopes: Set<KeyScope> = KeyScope.ordinary,
        _ body: (LiveGateway, String) async throws -> Void
    ) async throws {
        try await LiveGateway.with(settings: settings) { gateway in
            let key = try await gateway.store.keys.create(
                name: "guest", grant: KeyGrant(scopes: scopes, models: ["llama3.2"]))
            try await gateway.waitForKeys()
            try await body(gateway, key.secret)
        }
    }

    private func code(_ reply: LiveGateway.Reply) -> String {
        (reply.object["error"] as? [String: Any])?["code"] as? String ?? reply.code
    }

    @Test func `no body that could mean two models gets through, on any route`() async throws {
        try await withKey { gateway, key in
            let bodies = [
                #"{"model":"gpt-oss:120b-cloud","Model":"llama3.2",\#(Self.chat)}"#,
                #"{"Model":"gpt-oss:120b-cloud","model":"llama3.2",\#(Self.chat)}"#,
                #"{"model":"llama3.2","model":"llama3.2",\#(Self.chat)}"#,
                #"{"model":"gemma3:270m","m\u006fdel":"llama3.2",\#(Self.chat)}"#,
                #"{"model":"llama3.2","\u004dODEL":null,\#(Self.chat)}"#, #"{"MODEL":"llama3.2",\#(Self.chat)}"#,
                #"{"model":"llama3.2",\#(Self.chat)}{"model":"gemma3:270m",\#(Self.chat)}"#,
                "\u{FEFF}{\"model\":\"llama3.2\",\(Self.chat)}", #"{"name":"llama3.2",\#(Self.chat)}"#,
                #"{"model":"llama3.2",\#(Self.chat)"#,
            ]
            for path in ["/v1/chat/completions", "/api/chat", "/api/generate", "/v1/responses", "/v1/messages"] {
                for body in bodies {
                    let reply = try await gateway.post(path, body, token: key)
                    #expect(reply.status == 403 && code(reply) == "model_not_allowed", "\(path) \(body)")
                }
            }
            let form = "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nllama3.2\r\n--b--\r\n"
            let plain = #"{"model":"llama3.2",\#(Self.chat)}"#
            let authorization = (name: "Authorization", value: "Bearer \(key)")
            for (path, body, header) in [
                ("/v1/audio/transcriptions", form, ("Content-Type", "multipart/form-data; boundary=b")),
                ("/v1/chat/completions", plain + form, ("Content-Type", "multipart/form-data; boundary=b")),
                ("/v1/chat/completions", plain, ("Content-Type", "Multipart/Form-Data; boundary=b")),
                ("/api/chat", plain, ("Content-Encoding", "gzip")), ("/api/chat", plain, ("Content-Encoding", "zstd")),
                ("/api/chat", plain, ("Content-Encoding", "identity, gzip")),
            ] {
                let reply = try await gateway.request("POST", path, body, headers: [authorization, header])
                #expect(reply.status == 403 && code(reply) == "model_not_allowed", "\(path) \(header)")
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }

    @Test func `what is allowed goes on as JSON, whatever the client calls it`() async throws {
        try await withKey { gateway, key in
            let body = #"{"model":"llama3.2","stream":false,\#(Self.chat),"x":"&model=gemma3:270m&"}"#
            for type in ["application/x-www-form-urlencoded", "application/json; charset=utf-16", "text/plain"] {
                let reply = try await gateway.request(
                    "POST", "/api/chat", body, headers: [("Authorization", "Bearer \(key)"), ("Content-Type", type)])
                #expect(reply.status == 200)
                #expect(gateway.fake.statistics.lastHeaders["content-type"] == "application/json")
                #expect(gateway.fake.statistics.lastBody == body)
            }
        }
    }

    @Test func `a second model behind a large body is seen before the upstream acts`() async throws {
        try await withKey { gateway, key in
            let image = String(repeating: "QUJD", count: 1 << 19)
            for ending in [#""Model":"gemma3:270m"}"#, #""x":1}{"model":"gemma3:270m"}"#] {
                let body = #"{"model":"llama3.2","stream":false,"prompt":"x","images":["\#(image)"],"# + ending
                let reply = try await gateway.post("/api/generate", body, token: key)
                #expect(reply.status == 403)
            }
            #expect(gateway.fake.statistics.completed == 0)
        }
    }

    @Test func `it sees and is told of its own models only`() async throws {
        try await withKey(["model_aliases": "fast=llama3.2,other=gemma3:270m"]) { gateway, key in
            let authorization = [(name: "Authorization", value: "Bearer \(key)")]
            #expect(try await gateway.post("/api/show", #"{"model":"llama3.2"}"#, token: key).status == 200)
            #expect(try await gateway.post("/api/show", #"{"name":"fast"}"#, token: key).status == 200)
            for body in [
                #"{"model":"gemma3:270m"}"#, #"{"name":"gemma3:270m"}"#, #"{"model":"other"}"#, "", "{}",
                #"{"model":"llama3.2","name":"gemma3:270m"}"#, #"{"name":"gemma3:270m","model":"llama3.2"}"#,
            ] {
                let reply = try await gateway.post("/api/show", body, token: key)
                #expect(reply.status == 403 && reply.code == "model_not_allowed", "\(body)")
            }
            for (name, status) in [
                ("llama3.2", 200), ("fast", 200), ("llama3%2E2", 404), ("gemma3:270m", 403), ("gemma3%3A270m", 403),
                ("other", 403), ("%", 403), ("%ff", 403),
            ] {
                let reply = try await gateway.request("GET", "/v1/models/\(name)", headers: authorization)
                #expect(reply.status == status, "\(name)")
            }
            try await gateway.load(["llama3.2", "gemma3:270m"])
            for (path, list, name) in [
                ("/api/tags", "models", "name"), ("/api/ps", "models", "name"), ("/v1/models", "data", "id"),
            ] {
                let reply = try await gateway.request("GET", path, headers: authorization)
                let names = (reply.object[list] as? [[String: Any]] ?? []).compactMap { $0[name] as? String }
                let allowed: Set = path == "/api/ps" ? ["llama3.2:latest"] : ["llama3.2:latest", "fast:latest"]
                // The models of the notes are those behind which a model is that the key may use.
                let ofNotes: Set =
                    path == "/api/ps" ? [] : ["notes", "notes+llama3.2:latest", "notes+fast:latest"]
                #expect(Set(names) == allowed.union(ofNotes), "\(path)")
            }
            let health = try await gateway.request("GET", "/api/llm/health", headers: authorization)
            #expect(health.object["models"] as? [String] == ["llama3.2:latest"])
        }
    }

    @Test func `an administrator's key with a list administers the models of the list only`() async throws {
        try await withKey(scopes: [.admin, .llm]) { gateway, key in
            for (method, path, body) in [
                ("POST", "/api/pull", #"{"model":"gemma3:270m"}"#), ("POST", "/api/push", #"{"name":"gemma3:270m"}"#),
                ("DELETE", "/api/delete", #"{"model":"gemma3:270m"}"#),
                ("DELETE", "/api/delete", #"{"model":"llama3.2","name":"gemma3:270m"}"#),
                ("DELETE", "/api/delete", #"{"model":"gemma3:270m","Model":"llama3.2"}"#),
                ("POST", "/api/create", #"{"model":"mine","from":"llama3.2"}"#),
                ("POST", "/api/create", #"{"model":"llama3.2","from":"gemma3:270m"}"#),
                ("POST", "/api/copy", #"{"source":"gemma3:270m","destination":"llama3.2"}"#),
                ("POST", "/api/copy", #"{"source":"llama3.2","destination":"mine"}"#), ("POST", "/api/pull", "{}"),
            ] {
                let reply = try await gateway.request(
                    method, path, body, headers: [("Authorization", "Bearer \(key)")])
                #expect(reply.status == 403 && reply.code == "model_not_allowed", "\(path) \(body)")
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
            let pull = try await gateway.post("/api/pull", #"{"model":"llama3.2"}"#, token: key)
            #expect(pull.status == 200)
        }
    }

    @Test(.slow) func `where an alias or a default may apply, a model that is given twice is refused to everybody`()
        async throws
    {
        try await LiveGateway.with(settings: ["model_aliases": "fast=llama3.2"]) { gateway in
            let twice = #"{"model":"gemma3:270m","Model":"fast",\#(Self.chat)}"#
            let native = try await gateway.post("/api/chat", twice)
            #expect(native.status == 400 && native.code == "invalid_field")
            let openAI = try await gateway.post("/v1/chat/completions", twice)
            #expect(code(openAI) == "invalid_field")
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
        // Without rules a body is Ollama's to judge.
        try await LiveGateway.with { gateway in
            let twice = #"{"model":"gemma3:270m","Model":"llama3.2",\#(Self.chat)}"#
            _ = try await gateway.post("/api/chat", twice)
            #expect(gateway.fake.statistics.lastBody == twice)
        }
    }

    @Test func `a pinned model stays loaded, whatever a client asks of it`() async throws {
        let defaults = #"{"llama3.2": {"num_ctx": 4096, "keep_alive": "30m", "pin": true}}"#
        try await LiveGateway.with(settings: ["model_defaults": defaults]) { gateway in
            #expect(try await gateway.post("/api/generate", #"{"model":"llama3.2","prompt":"x"}"#).status == 200)
            for body in [
                #"{"model":"llama3.2","keep_alive":0}"#, #"{"model":"llama3.2","\u212aeep_alive":0,"Keep_Alive":"0s"}"#,
                #"{"model":"llama3.2","prompt":"x","option\u017f":{"num_gpu":0,"num_ctx":1024}}"#,
                #"{"model":"llama3.2","prompt":"x","options":{"num_ctx":1},"OPTIONS":{"num_ctx":1024}}"#,
            ] {
                #expect(try await gateway.post("/api/generate", body).status == 200)
                let sent = gateway.fake.statistics.lastBody
                #expect(!sent.contains("1024") && !sent.contains(#""num_gpu":0"#), "\(sent)")
            }
            let statistics = gateway.fake.statistics
            #expect(statistics.loads == 1 && statistics.reloads == 0 && statistics.unloads == 0)
            let resident = try await gateway.request("GET", "/api/ps")
            #expect((resident.object["models"] as? [Any])?.count == 1)
        }
    }
}

extension LiveGateway {
    /// Loads models behind the gateway's back.
    fileprivate func load(_ models: [String]) async throws {
        let direct = try UpstreamTransport(configuration: UpstreamConfiguration(host: fake.baseURL))
        for model in models {
            let response = try await direct.send(
                UpstreamRequest(
                    method: "POST", path: "/api/generate", body: ByteBuffer(string: #"{"model":"\#(model)"}"#)))
            _ = try await response.body.collect(upTo: 1 << 20)
        }
        await direct.shutdown(within: .seconds(1))
    }
}
