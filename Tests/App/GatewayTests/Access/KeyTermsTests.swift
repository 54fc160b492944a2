import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Transport

/// What the terms of a key refuse, over HTTP.
@Suite(.serialized) struct KeyTermsOverHTTP {
    private static let routes: [(method: String, path: String, body: String?, scope: KeyScope)] = [
        ("GET", "/api/llm/health", nil, .llm), ("HEAD", "/api/llm/health", nil, .llm),
        ("POST", "/api/llm/generate", #"{"prompt":"x"}"#, .llm), ("POST", "/api/llm/embed", #"{"text":"x"}"#, .llm),
        ("POST", "/api/notes/retrieve", #"{"query":"x"}"#, .notesRead),
        ("GET", "/api/notes/1/related", nil, .notesRead),
    ]

    @Test func `every route wants its scope and names it`() async throws {
        try await LiveGateway.with { gateway in
            for scope in KeyScope.all {
                let key = try await gateway.store.keys.create(
                    name: scope.rawValue, grant: KeyGrant(scopes: [scope]))
                try await gateway.waitForKeys()
                for route in Self.routes {
                    let reply = try await gateway.request(
                        route.method, route.path, route.body, headers: [("Authorization", "Bearer \(key.secret)")])
                    guard route.scope != scope else {
                        #expect(reply.status == (route.path.hasSuffix("related") ? 404 : 200), "\(route.path)")
                        continue
                    }
                    #expect(reply.status == 403, "\(route.path)")
                    #expect(reply.head["www-authenticate"]?.contains("scope=\"\(route.scope.rawValue)\"") == true)
                    guard route.method != "HEAD" else { continue }
                    #expect(reply.code == "missing_scope")
                    #expect(reply.error.contains("\"\(route.scope.rawValue)\""))
                }
            }
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
    }

    @Test func `the token of the environment may do everything, a revoked key nothing`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) { gateway in
            for route in Self.routes {
                let headers = [(name: "Authorization", value: "Bearer a-token-of-some-length")]
                let reply = try await gateway.request(route.method, route.path, route.body, headers: headers)
                #expect(reply.status != 403 && reply.status != 401)
            }
            let key = try await gateway.store.keys.create(name: "a", grant: .everything)
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).status == 200)
            try await gateway.store.keys.revoke("a")
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).code == "forbidden")
        }
    }

    @Test(.slow) func `an expired key is told so`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(expiresAt: 1_700_000_000))
            try await gateway.waitForKeys()
            let reply = try await gateway.generate(key)
            #expect(reply.status == 403)
            #expect(reply.code == "key_expired")
            _ = try await gateway.store.keys.change("a") { $0.expiresAt = nil }
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key).status == 200)
            let usage = try await gateway.usage(of: key) { $0.requests == 2 }
            #expect(usage.refused == 1)
        }
    }

    @Test(.slow) func `a key with a list of models may use no other, by whatever route`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(
                name: "a", grant: KeyGrant(models: ["llama3.2", "all-minilm:latest"]))
            try await gateway.waitForKeys()
            func post(_ path: String, _ body: String) async throws -> LiveGateway.Reply {
                try await gateway.post(path, body, token: key.secret)
            }
            for body in [
                #"{"prompt":"x"}"#, #"{"prompt":"x","model":"llama3.2:latest"}"#,
                #"{"prompt":"x","model":"llama3.2","stream":true}"#,
            ] { #expect(try await post("/api/llm/generate", body).status == 200) }
            #expect(try await post("/api/llm/embed", #"{"text":"x","model":"all-minilm"}"#).status == 200)
            for (path, body) in [
                ("/api/llm/generate", #"{"prompt":"x","model":"gemma3:270m"}"#),
                ("/api/llm/generate", #"{"prompt":"x","model":"gemma3:270m","stream":true}"#),
                // The default model of the gateway is none of its models either.
                ("/api/llm/embed", #"{"text":"x"}"#), ("/api/llm/embed", #"{"texts":[]}"#),
            ] {
                let reply = try await post(path, body)
                #expect(reply.status == 403)
                #expect(reply.code == "model_not_allowed")
                #expect(reply.error.contains("llama3.2, all-minilm:latest"))
            }
            #expect(gateway.fake.statistics.requests["/api/generate"] == 3)
            let usage = try await gateway.usage(of: key) { $0.requests == 8 }
            #expect(usage.refused == 4)
        }
    }

    @Test func `requests beyond the rate are told when to come again`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(requestsPerMinute: 3))
            try await gateway.waitForKeys()
            let query = #"{"query":"x"}"#
            for _ in 0..<3 {
                #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).status == 200)
            }
            let reply = try await gateway.post("/api/notes/retrieve", query, token: key.secret)
            #expect(reply.status == 429)
            #expect(reply.code == "rate_limited")
            let wait = try #require(reply.head["retry-after"].flatMap { Int($0) })
            #expect((1...20).contains(wait))
            _ = try await gateway.store.keys.change("a") { $0.requestsPerMinute = nil }
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).status == 200)
        }
    }

    @Test(.slow) func `tokens are counted as Ollama counts them, streamed, cut or whole, and end at the quota`()
        async throws
    {
        var options = FakeOllama.Options()
        options.tokens = 10
        try await LiveGateway.with(options) { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(tokensPerDay: 50))
            try await gateway.waitForKeys()
            #expect(try await gateway.generate(key, #"{"prompt":"two words"}"#).status == 200)
            #expect(try await gateway.generate(key, #"{"prompt":"two words","stream":true}"#).status == 200)
            var usage = try await gateway.usage(of: key) { $0.completionTokens == 20 }
            #expect(usage.promptTokens == 4)
            let embed = try await gateway.post("/api/llm/embed", #"{"texts":["a b c","d"]}"#, token: key.secret)
            #expect(embed.status == 200)
            gateway.fake.setFaults(["cut=5#1"])
            #expect(try await gateway.generate(key, #"{"prompt":"x","stream":true}"#).text.contains("upstream_cut"))
            usage = try await gateway.usage(of: key) { $0.completionTokens == 25 }
            // The prompt of a stream that was cut is estimated.
            #expect(usage == KeyUsage(requests: 4, promptTokens: 8 + 11, completionTokens: 25))
            #expect(try await gateway.generate(key).status == 200)
            let reply = try await gateway.generate(key)
            #expect(reply.status == 429)
            #expect(reply.code == "quota_exceeded")
            let wait = try #require(reply.head["retry-after"].flatMap { Int($0) })
            #expect((1...86_400).contains(wait))
            #expect(
                try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: key.secret).status == 200)
            #expect(
                try await gateway.request(
                    "GET", "/api/llm/health", headers: [("Authorization", "Bearer \(key.secret)")]
                ).status == 200)
        }
    }
}
