import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Transport

/// What the terms of a key mean on Ollama's own routes and under /v1.
@Suite(.serialized) struct ProxyKeys {
    private static let chat = #""messages":[{"role":"user","content":"two words"}]"#

    @Test func `a key with a list of models may use no other, however the body says so`() async throws {
        try await LiveGateway.with(settings: ["model_aliases": "fast=llama3.2,other=gemma3:270m"]) { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(models: ["llama3.2", "other"]))
            try await gateway.waitForKeys()
            for (path, body) in [
                ("/api/generate", #"{"model":"llama3.2","prompt":"x"}"#),
                ("/api/chat", #"{"model":"fast",\#(Self.chat)}"#),
                ("/api/chat", #"{"model":"other",\#(Self.chat)}"#),
                ("/v1/chat/completions", #"{\#(Self.chat),"model":"llama3.2:latest"}"#),
            ] { #expect(try await gateway.post(path, body, token: key.secret).status == 200, "\(body)") }
            gateway.fake.reset()
            let image = String(repeating: "QUJD", count: 1 << 19)
            for (path, body) in [
                ("/api/generate", #"{"model":"gemma3:270m","prompt":"x"}"#),
                ("/api/generate", #"{"model":"llama3.2","prompt":"x","model":"gemma3:270m"}"#),
                ("/api/generate", #"{"model":"llama3.2","prompt":"x","MODEL":"gemma3:270m"}"#),
                ("/api/generate", #"{"model":"gemma3:270m","prompt":"x","model":"llama3.2"}"#),
                ("/api/generate", #"{"prompt":"x"}"#), ("/api/generate", ""), ("/api/generate", "[]"),
                ("/api/chat", #"{"model":"gemma3:270m",\#(Self.chat)}"#),
                ("/v1/chat/completions", #"{"model":"gemma3:270m",\#(Self.chat)}"#),
                ("/v1/embeddings", #"{"model":"nomic-embed-text","input":"x"}"#),
                // The name is too far away to wait for it.
                ("/api/generate", #"{"images":["\#(image)"],"prompt":"x","model":"llama3.2"}"#),
                // A second name is one too many, wherever it stands.
                ("/api/generate", #"{"model":"llama3.2","images":["\#(image)"],"prompt":"x","model":"gemma3:270m"}"#),
            ] {
                let reply = try await gateway.post(path, body, token: key.secret)
                #expect(reply.status == 403, "\(body.suffix(80))")
                let code =
                    path.hasPrefix("/v1/")
                    ? (reply.object["error"] as? [String: Any])?["code"] as? String : reply.code
                #expect(code == "model_not_allowed")
            }
            #expect(gateway.fake.statistics.completed == 0)
            #expect(gateway.fake.statistics.loads == 0)
        }
    }

    @Test(.slow) func `tokens are charged as the answers count them, and end at the quota`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 10
        try await LiveGateway.with(options) { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(tokensPerDay: 1000))
            try await gateway.waitForKeys()
            var expected = KeyUsage()
            func ask(_ path: String, _ body: String, prompt: Int, completion: Int) async throws {
                let reply = try await gateway.post(path, body, token: key.secret)
                #expect(reply.status == 200, "\(reply.text)")
                expected.add(KeyUsage(requests: 1, promptTokens: prompt, completionTokens: completion))
            }
            let native = #"{"model":"llama3.2","prompt":"two words"#
            try await ask("/api/generate", native + #"","stream":false}"#, prompt: 2, completion: 10)
            try await ask("/api/generate", native + #""}"#, prompt: 2, completion: 10)
            try await ask("/api/chat", #"{"model":"llama3.2",\#(Self.chat)}"#, prompt: 2, completion: 10)
            let v1 = #"{"model":"llama3.2",\#(Self.chat)"#
            try await ask("/v1/chat/completions", v1 + "}", prompt: 2, completion: 10)
            let usage = #","stream":true,"stream_options":{"include_usage":true}}"#
            try await ask("/v1/chat/completions", v1 + usage, prompt: 2, completion: 10)
            try await ask(
                "/api/embed", #"{"model":"nomic-embed-text","input":["a b c","d"]}"#, prompt: 4, completion: 0)
            try await ask("/v1/embeddings", #"{"model":"nomic-embed-text","input":"a b"}"#, prompt: 2, completion: 0)
            // No usage was asked for: a token for each event, and one for four bytes of the request.
            let unasked = v1 + #","stream":true}"#
            try await ask("/v1/chat/completions", unasked, prompt: unasked.utf8.count / 4, completion: 12)
            gateway.fake.setFaults(["cut=5#1"])
            // Cut: a token for each line, and one for four bytes of the request.
            let cut = native + #""}"#
            try await ask("/api/generate", cut, prompt: cut.utf8.count / 4, completion: 5)

            let (want, seen) = (expected, try await gateway.usage(of: key) { $0 == expected })
            #expect(seen == want)

            _ = try await gateway.store.keys.change("a") { $0.tokensPerDay = 50 }
            try await gateway.waitForKeys()
            let native429 = try await gateway.post("/api/generate", native + #""}"#, token: key.secret)
            #expect(native429.status == 429 && native429.code == "quota_exceeded")
            #expect(native429.head["retry-after"] != nil)
            let reply = try await gateway.post("/v1/chat/completions", v1 + "}", token: key.secret)
            #expect(reply.status == 429)
            #expect((reply.object["error"] as? [String: Any])?["code"] as? String == "quota_exceeded")
        }
    }

    @Test(.slow, arguments: [LiveGateway.Encryption.usual, .http2])
    func `a client that leaves in the middle pays for what came`(encryption: LiveGateway.Encryption) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await LiveGateway.with(options, encryption: encryption) { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: KeyGrant(tokensPerDay: 1000))
            try await gateway.waitForKeys()
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":100000}}"#
            let task = Task {
                let response = try await gateway.open(
                    "POST", "/api/generate", body, headers: [("Authorization", "Bearer \(key.secret)")])
                for try await _ in response.body {}
            }
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 2000 })
            task.cancel()
            _ = await task.result
            try await gateway.sendResets()
            let usage = try await gateway.usage(of: key) { $0.completionTokens > 0 }
            #expect(usage.completionTokens >= 5)
        }
    }
}
