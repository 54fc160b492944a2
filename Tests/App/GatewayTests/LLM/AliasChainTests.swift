import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Aliases of several models: the next one answers when the one before cannot.
@Suite(.serialized) struct AliasChains {
    private func with(
        _ settings: [String: String] = [:], ollama: FakeOllama.Options = .init(),
        _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        try await FakeProvider.withServer { provider in
            let folder = try TemporaryFolder()
            let file = folder.url.appending(path: "provider.key")
            try Data((FakeProvider.Options().key ?? "").utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let providers = """
                {"gpu": {"kind": "openai", "url": "\(provider.baseURL)/v1", "key_file": "\(file.path)"},
                 "claude": {"kind": "anthropic", "url": "\(provider.baseURL)", "key_file": "\(file.path)"}}
                """
            let all = [
                "providers": providers, "model_aliases": "fast=llama3.2|gpu/small|claude/small,near=gpu/small|llama3.2",
            ]
            try await LiveGateway.with(ollama, settings: all.merging(settings) { $1 }) { try await body($0, provider) }
        }
    }

    private static let paths = [
        ("/api/chat", #"{"model":"fast","messages":[{"role":"user","content":"Hello"}],"stream":STREAM}"#),
        ("/api/generate", #"{"model":"fast","prompt":"Hello","stream":STREAM}"#),
        ("/v1/chat/completions", #"{"model":"fast","messages":[{"role":"user","content":"Hello"}],"stream":STREAM}"#),
        ("/v1/responses", #"{"model":"fast","input":"Hello","stream":STREAM}"#),
        (
            "/v1/messages",
            #"{"model":"fast","max_tokens":64,"messages":[{"role":"user","content":"Hello"}],"stream":STREAM}"#
        ),
    ]

    @Test(arguments: paths) func `the first model answers, and the next one when it fails`(path: String, body: String)
        async throws
    {
        try await with { gateway, provider in
            for stream in ["false", "true"] {
                let body = body.replacing("STREAM", with: stream)
                let before = provider.received.count
                let first = try await gateway.request("POST", path, body)
                #expect(first.status == 200 && first.head["x-selene-model"] == "llama3.2", "\(first.text)")
                #expect(first.text.contains(#""llama3.2""#) && provider.received.count == before)
                #expect(gateway.fake.setFaults(["status=500@/api/chat#1"]))
                let second = try await gateway.request("POST", path, body)
                #expect(second.status == 200 && second.head["x-selene-model"] == "gpu/small", "\(second.text)")
                #expect(second.text.contains("gpu/small") || second.text.contains(#"gpu\/small"#))
                #expect(second.text.contains("🎻"))
                #expect(gateway.fake.setFaults(["status=500@/api/chat#1"]))
                #expect(provider.setFaults(["status=400@/v1/chat/completions#1"]))
                let third = try await gateway.request("POST", path, body)
                #expect(third.status == 200 && third.head["x-selene-model"] == "claude/small", "\(third.text)")
                #expect(gateway.fake.setFaults([]) && provider.setFaults([]))
            }
        }
    }

    @Test func `after the last model the client gets its error, and a stream that began is not begun again`()
        async throws
    {
        try await with(["model_aliases": "fast=llama3.2|gpu/small"]) { gateway, provider in
            let body = #"{"model":"fast","messages":[{"role":"user","content":"Hello"}]}"#
            #expect(gateway.fake.setFaults(["status=500@/api/chat"]))
            #expect(provider.setFaults(["status=400@/v1/chat/completions"]))
            let failed = try await gateway.request("POST", "/v1/chat/completions", body)
            #expect(failed.status >= 400 && failed.head["x-selene-model"] == nil && failed.text.contains("fault 400"))
            #expect(gateway.fake.setFaults(["error-line=2@/api/chat"]) && provider.setFaults([]))
            let before = provider.statistics.requests["/v1/chat/completions"]
            let broken = try await gateway.request("POST", "/api/chat", body)
            #expect(broken.status == 200 && broken.text.contains(#""error""#))
            #expect(provider.statistics.requests["/v1/chat/completions"] == before)
        }
    }

    @Test func `a key for some models gets those, one for the alias all, and other routes the first`() async throws {
        try await with { gateway, provider in
            func key(_ models: [String]) async throws -> [(name: String, value: String)] {
                let made = try await gateway.store.keys.create(
                    name: models.joined(), grant: KeyGrant(scopes: [.llm], models: models))
                return [("Authorization", "Bearer \(made.secret)")]
            }
            let body = #"{"model":"fast","messages":[{"role":"user","content":"Hello"}]}"#
            let (limited, free, other) = (
                try await key(["llama3.2"]), try await key(["fast"]), try await key(["gpu/small", "qwen3"])
            )
            try await gateway.waitForKeys()
            #expect(gateway.fake.setFaults(["status=500@/api/chat"]))
            let refused = try await gateway.request("POST", "/v1/chat/completions", body, headers: limited)
            #expect(refused.status >= 500 && provider.lastRequest == nil, "\(refused.text)")
            let fallen = try await gateway.request("POST", "/v1/chat/completions", body, headers: free)
            #expect(fallen.status == 200 && fallen.head["x-selene-model"] == "gpu/small", "\(fallen.text)")
            // The alias is neither in the list nor its first model.
            let closed = try await gateway.request("POST", "/v1/chat/completions", body, headers: other)
            #expect(closed.status == 403, "\(closed.text)")
            #expect(gateway.fake.setFaults([]))
            let vectors = try await gateway.request("POST", "/api/show", #"{"model":"fast"}"#, headers: free)
            #expect(vectors.status == 200)
        }
    }

    @Test func `a model that is busy for long is passed over`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 1
        options.tokens = 4
        try await with(["max_in_flight": "1"], ollama: options) { gateway, _ in
            // One answer takes four seconds, so that one that waits is expected to take as long.
            let body = #"{"model":"llama3.2","messages":[{"role":"user","content":"Hello"}]}"#
            #expect(try await gateway.request("POST", "/api/chat", body).status == 200)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 { group.addTask { try await gateway.request("POST", "/api/chat", body).status } }
                try await waitUntil { gateway.application.shared.admission.load.waiting == 3 }
                let asked = try await gateway.request(
                    "POST", "/api/chat", #"{"model":"fast","messages":[{"role":"user","content":"Hello"}]}"#)
                #expect(asked.status == 200 && asked.head["x-selene-model"] == "gpu/small", "\(asked.text)")
                group.cancelAll()
            }
        }
    }

    @Test func `an alias may not name another in any place, nor nothing`() async throws {
        for text in ["a=x|b,b=y", "a=x|", "a=|x"] {
            await #expect(throws: (any Error).self) {
                try await with(["model_aliases": text]) { _, _ in }
            }
        }
    }
}
