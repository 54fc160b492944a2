import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// `provider/model` through the proxy: other providers under the gateway's keys, quotas and metrics.
@Suite(.serialized) struct ProxyToProviders {
    private static let key = FakeProvider.Options().key ?? ""

    private func with(
        _ change: (inout FakeProvider.Options) -> Void = { _ in }, ollama: FakeOllama.Options = .init(),
        settings: [String: String] = [:], _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        try await ProviderGateway.with(change, ollama: ollama, settings: settings, body)
    }

    private static func chat(_ model: String, _ more: String = "") -> String {
        #"{"model":"\#(model)","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]\#(more)}"#
    }

    @Test func `speech passes through as its bytes, and errors as they are`() async throws {
        try await with { gateway, provider in
            let body = #"{"model":"gpu/small","voice":"alloy","input":"Hello"}"#
            let spoken = try await gateway.request("POST", "/v1/audio/speech", body)
            #expect(spoken.status == 200 && spoken.head["content-type"] == "audio/mpeg")
            #expect(spoken.data == Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 128) }))
            #expect(provider.lastRequest?.body.contains(#""model":"small""#) == true)
            let refused = try await gateway.request("POST", "/v1/audio/speech", #"{"model":"gpu/small"}"#)
            #expect(refused.status == 400 && refused.text.contains("Field required: input"))
            let misfit = try await gateway.request("POST", "/v1/audio/speech", #"{"model":"claude/small","input":"x"}"#)
            #expect(misfit.status == 400)
        }
    }

    @Test func `whole answers and streams pass through, with the provider's key and name of the model`() async throws {
        try await with { gateway, provider in
            let whole = try await gateway.request(
                "POST", "/v1/chat/completions", Self.chat("gpu/small"),
                headers: [("Cookie", "a=b"), ("OpenAI-Organization", "org-1"), ("Referer", "http://x/")])
            #expect(whole.status == 200 && whole.object["model"] as? String == "small", "\(whole.text)")
            let sent = try #require(provider.lastRequest)
            #expect(sent.target == "/v1/chat/completions" && sent.body.contains(#""model":"small""#))
            #expect(sent.headers["authorization"] == "Bearer \(Self.key)")
            #expect(sent.headers["cookie"] == nil && sent.headers["openai-organization"] == nil)
            #expect(sent.headers["referer"] == nil)
            let stream = try await gateway.request(
                "POST", "/v1/chat/completions",
                Self.chat("gpu/small", #","stream":true,"stream_options":{"include_usage":true}"#))
            #expect(stream.status == 200 && stream.text.hasSuffix("data: [DONE]\n\n") && stream.text.contains("🎻"))
            let message = try await gateway.request("POST", "/v1/messages?beta=true", Self.chat("claude/small"))
            #expect(message.status == 200 && message.object["type"] as? String == "message", "\(message.text)")
            let asked = try #require(provider.lastRequest)
            #expect(asked.target == "/v1/messages?beta=true" && asked.headers["x-api-key"] == Self.key)
            #expect(asked.headers["anthropic-version"] != nil && asked.headers["authorization"] == nil)
            let events = try await gateway.request(
                "POST", "/v1/messages", Self.chat("claude/small", #","stream":true"#))
            #expect(events.text.contains("event: message_stop"))
            let vectors = try await gateway.request(
                "POST", "/v1/embeddings", #"{"model":"gpu/small","input":["a","b"]}"#)
            #expect((vectors.object["data"] as? [Any])?.count == 2)
            #expect(gateway.fake.statistics.requests["/v1/chat/completions"] == nil)
            let metrics = try await gateway.metrics {
                $0[#"selene_provider_requests_total{provider="gpu",outcome="done"}"#] == 3
            }
            #expect(metrics[#"selene_provider_requests_total{provider="gpu",outcome="done"}"#] == 3)
            #expect(metrics[#"selene_provider_requests_total{provider="claude",outcome="done"}"#] == 2)
        }
    }

    @Test func `a large body goes through the spool, and its model is found`() async throws {
        try await with { gateway, provider in
            let text = String(repeating: "x ", count: 200_000)
            let body = #"{"model":"gpu/small","messages":[{"role":"user","content":"\#(text)"}]}"#
            let reply = try await gateway.request("POST", "/v1/chat/completions", body)
            #expect(reply.status == 200)
            #expect(try #require(provider.lastRequest).body.utf8.count == body.utf8.count - "gpu/".utf8.count)
        }
    }

    @Test func `another route's model is a clear 400, and an unknown provider is Ollama's`() async throws {
        try await with { gateway, provider in
            for (path, model) in [
                ("/v1/completions", "claude/small"), ("/v1/embeddings", "claude/small"), ("/api/embed", "gpu/small"),
            ] {
                let reply = try await gateway.request("POST", path, Self.chat(model))
                #expect(reply.status == 400, "\(path) \(reply.text)")
                #expect(reply.text.contains("is a model of the provider"), "\(path) \(reply.text)")
            }
            let generate = try await gateway.request(
                "POST", "/api/llm/generate", #"{"prompt":"x","model":"gpu/small"}"#)
            #expect(generate.status == 400 && generate.error.contains("/v1/chat/completions"))
            #expect(provider.statistics.requests.isEmpty)
            let repeated = try await gateway.request(
                "POST", "/v1/chat/completions", #"{"model":"gpu/small","model":"llama3.2","messages":[]}"#)
            #expect(repeated.status == 400)
            let other = try await gateway.request("POST", "/v1/chat/completions", Self.chat("nobody/small"))
            #expect(other.status == 404 && gateway.fake.statistics.requests["/v1/chat/completions"] == 1)
        }
    }

    @Test(.slow) func `errors keep the provider's form, and never show its key`() async throws {
        try await with({ $0.models = ["small", "thinker"] }) { gateway, provider in
            // The fake repeats its key in this error.
            let unknown = try await gateway.request("POST", "/v1/chat/completions", Self.chat("gpu/echo"))
            #expect(unknown.status == 404 && unknown.text.contains("does not exist"))
            #expect(!unknown.text.contains(Self.key))
            #expect((unknown.object["error"] as? [String: Any])?["code"] as? String == "model_not_found")
            provider.setFaults(["busy=429:7@/v1/messages#1"])
            let busy = try await gateway.request("POST", "/v1/messages", Self.chat("claude/small"))
            #expect(busy.status == 429 && busy.head["Retry-After"] == "7", "\(busy.text)")
            #expect(busy.object["type"] as? String == "error")
            let bare = try await gateway.request("POST", "/v1/chat/completions", Self.chat("bare/small"))
            #expect(bare.status == 502 && bare.text.contains("has no key"))
            provider.setFaults(["cut=3@/v1/chat/completions#1"])
            let cut = try await gateway.request(
                "POST", "/v1/chat/completions", Self.chat("gpu/small", #","stream":true"#))
            #expect(!cut.text.contains("[DONE]") && cut.text.contains("error") && cut.text.contains("gpu"))
        }
        try await with({ $0.key = "sk-another-0123456789" }) { gateway, _ in
            let refused = try await gateway.request("POST", "/v1/chat/completions", Self.chat("gpu/small"))
            #expect(refused.status == 502 && refused.text.contains("refused its key") && !refused.text.contains("sk-"))
        }
    }

    @Test func `a client that leaves closes the provider's connection`() async throws {
        try await with({
            $0.tokens = 10_000
            $0.tokenPause = 0.02
        }) { gateway, provider in
            let response = try await gateway.open(
                "POST", "/v1/chat/completions", Self.chat("gpu/small", #","stream":true"#))
            for try await _ in response.body { break }
            response.body.cancel()
            try await waitUntil { provider.statistics.cancelled == 1 && provider.statistics.inFlight == 0 }
        }
    }

    @Test func `keys count: as x-api-key, with limits of models and tokens`() async throws {
        try await with { gateway, provider in
            let limited = try await gateway.store.keys.create(
                name: "limited", grant: KeyGrant(scopes: [.llm], models: ["gpu/small"], tokensPerDay: 20)
            ).secret
            try await gateway.waitForKeys()
            func ask(_ model: String, _ header: (name: String, value: String)) async throws -> LiveGateway.Reply {
                try await gateway.request("POST", "/v1/chat/completions", Self.chat(model), headers: [header])
            }
            #expect(try await ask("gpu/small", ("x-api-key", "slk_wrong")).status == 401)
            let other = try await ask("gpu/thinker", ("x-api-key", limited))
            #expect(other.status == 403 && other.text.contains("gpu/small"))
            let first = try await ask("gpu/small", ("x-api-key", limited))
            #expect(first.status == 200)
            #expect(try #require(provider.lastRequest).headers["authorization"] == "Bearer \(Self.key)")
            #expect(try #require(provider.lastRequest).headers["x-api-key"] == nil)
            // The answer has 12 tokens, and the prompt some more.
            try await waitUntil {
                let again = try await ask("gpu/small", ("Authorization", "Bearer \(limited)"))
                return again.status == 429
            }
            let listed = try await gateway.request("GET", "/v1/models", headers: [("x-api-key", limited)])
            #expect(listed.objects("data").map { $0["id"] as? String } == ["gpu/small"], "\(listed.text)")
        }
    }

    @Test func `the list of models has those of the providers, and does without one that is away`() async throws {
        try await with { gateway, provider in
            let models = try await gateway.request("GET", "/v1/models").objects("data")
            let listed = models.compactMap { $0["id"] as? String }
            #expect(listed.contains("llama3.2:latest") && listed.contains("gpu/small"))
            #expect(listed.contains("claude/thinker") && !listed.contains { $0.hasPrefix("bare/") })
            let tags = try await gateway.request("GET", "/api/tags").objects("models")
            let named = tags.compactMap { $0["name"] as? String }
            #expect(named.contains("llama3.2:latest") && named.contains("gpu/small"))
            #expect(named.contains("claude/thinker") && tags.allSatisfy { $0["details"] is [String: Any] })
            let page = try await gateway.request("GET", "/api/tags", headers: [("X-Selene", "1")]).objects("models")
            #expect(!page.isEmpty && !page.contains { ($0["name"] as? String)?.hasPrefix("gpu/") == true })
            let loaded = try await gateway.request("GET", "/api/ps").objects("models")
            #expect(!loaded.contains { ($0["name"] as? String)?.hasPrefix("gpu/") == true })
            let shown = try await gateway.request("POST", "/api/show", #"{"model":"claude/thinker"}"#)
            #expect(shown.status == 200, "\(shown.text)")
            #expect(
                Set(shown.object["capabilities"] as? [String] ?? []) == ["completion", "tools", "thinking", "vision"])
            let described = try await gateway.request("GET", "/v1/models/gpu/small")
            #expect(described.status == 200 && described.object["owned_by"] as? String == "gpu", "\(described.text)")
        }
    }
}
