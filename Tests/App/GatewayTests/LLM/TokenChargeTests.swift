import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

/// What requests cost a key's tokens of the day, where nothing or little is counted.
@Suite(.serialized) struct TokenCharges {
    /// A gateway before an upstream that answers what it is told.
    private func withUpstream(
        _ grant: KeyGrant, _ body: (LiveGateway, NewKey, RawServer) async throws -> Void
    ) async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let key = try await gateway.store.keys.create(name: "a", grant: grant)
            try await gateway.waitForKeys()
            try await body(gateway, key, server)
        }
    }

    private func ask(
        _ gateway: LiveGateway, _ key: NewKey, _ server: RawServer, _ path: String, mark: String, answer: String,
        type: String = "application/json"
    ) async throws -> LiveGateway.Reply {
        let reply = Task {
            try await gateway.post(path, #"{"model":"m","prompt":"\#(mark)","stream":false}"#, token: key.secret)
        }
        #expect(await server.waitUntil { String(decoding: $0.received, as: UTF8.self).contains(mark) })
        server.send(
            "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(answer.utf8.count)\r\n\r\n" + answer)
        return try await reply.value
    }

    @Test(.slow) func `logprobs behind the counts hide nothing from the quota`() async throws {
        try await withUpstream(KeyGrant(tokensPerDay: 50)) { gateway, key, server in
            let logprobs = (0..<400).map { #"{"token":"t\#($0)","logprob":-0.25,"top_logprobs":[]}"# }
            let answer =
                #"{"model":"m","response":"x","done":true,"done_reason":"stop","prompt_eval_count":12,"#
                + #""eval_count":1900,"logprobs":[\#(logprobs.joined(separator: ","))]}"#
            #expect(
                try await ask(gateway, key, server, "/api/generate", mark: "first", answer: answer).status == 200)
            let reply = try await gateway.post("/api/generate", #"{"model":"m","prompt":"x"}"#, token: key.secret)
            #expect(reply.status == 429 && reply.code == "quota_exceeded")
            let usage = try await gateway.usage(of: key) { $0.requests == 2 }
            #expect(usage == KeyUsage(requests: 2, refused: 1, promptTokens: 12, completionTokens: 1900))
        }
    }

    @Test(.slow) func `whole answers and vectors without counts cost an estimate`() async throws {
        try await withUpstream(KeyGrant()) { gateway, key, server in
            let text = String(repeating: "x", count: 4000)
            var expected = KeyUsage()
            for (path, answer, completion) in [
                ("/api/generate", #"{"response":"\#(text)"}"#, 1003), ("/api/embed", #"{"embeddings":[[1,2]]}"#, 0),
                ("/v1/embeddings", #"{"data":[{"embedding":[1,2]}]}"#, 0),
                ("/api/embeddings", #"{"embedding":[1]}"#, 0),
                ("/v1/chat/completions", #"{"choices":[{"message":{"content":"\#(text)"}}]}"#, 1010),
                ("/v1/audio/transcriptions", #"{"text":"\#(text)"}"#, 1002),
            ] {
                let mark = path.replacing("/", with: "-")
                let request = #"{"model":"m","prompt":"\#(mark)","stream":false}"#
                #expect(try await ask(gateway, key, server, path, mark: mark, answer: answer).status == 200)
                expected.add(
                    KeyUsage(requests: 1, promptTokens: request.utf8.count / 4, completionTokens: completion))
            }
            let (want, seen) = (expected, try await gateway.usage(of: key) { $0 == expected })
            #expect(seen == want)
        }
    }

    @Test(.slow) func `the gateway's own generate route estimates what is not counted`() async throws {
        try await withUpstream(KeyGrant()) { gateway, key, server in
            let reply = try await ask(
                gateway, key, server, "/api/llm/generate", mark: "own",
                answer: #"{"response":"some words","done":true}"#)
            #expect(reply.status == 200)
            let usage = try await gateway.usage(of: key) { $0.tokens > 0 }
            #expect(usage.promptTokens > 5 && usage.completionTokens > 5, "\(usage)")
        }
    }

    @Test(.slow) func `a client that does not wait for the answer pays for its prompt`() async throws {
        var options = FakeOllama.Options()
        options.latency = 600
        try await LiveGateway.with(options) { gateway in
            for path in ["/api/generate", "/api/llm/generate", "/api/llm/embed"] {
                let key = try await gateway.store.keys.create(
                    name: String(path.dropFirst().replacing("/", with: "-")))
                try await gateway.waitForKeys()
                let text = String(repeating: "word ", count: 80)
                let body =
                    path.hasSuffix("embed")
                    ? #"{"text":"\#(text)"}"# : #"{"model":"llama3.2","prompt":"\#(text)","stream":false}"#
                let request = Task { try await gateway.post(path, body, token: key.secret) }
                #expect(await gateway.fake.waitUntil { $0.running == 1 })
                request.cancel()
                let usage = try await gateway.usage(of: key) { $0.tokens > 0 }
                #expect((95...130).contains(usage.promptTokens) && usage.completionTokens == 0, "\(path) \(usage)")
                #expect(await gateway.fake.waitUntil { $0.running == 0 })
            }
        }
    }

    @Test(.slow) func `vectors of queries count, and without tokens words answer`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "tides", content: "the moon pulls", externalID: "1")
            ])
            try await gateway.backfill()
            let key = try await gateway.store.keys.create(
                name: "reader", grant: KeyGrant(scopes: [.notesRead], tokensPerDay: 100))
            try await gateway.waitForKeys()
            func retrieve(_ path: String, _ query: String) async throws -> LiveGateway.Reply {
                try await gateway.post(path, #"{"query":"\#(query)"}"#, token: key.secret)
            }
            #expect(
                try await retrieve("/api/notes/retrieve", "what pulls the sea").object["source"] as? String == "hybrid")
            var usage = try await gateway.usage(of: key) { $0.promptTokens > 0 }
            #expect(usage.promptTokens >= 4)
            let before = usage.promptTokens
            #expect(
                try await retrieve("/api/memories/retrieve", "what was learned").object["source"] as? String == "vector"
            )
            usage = try await gateway.usage(of: key) { $0.promptTokens > before }
            #expect(usage.promptTokens >= before + 3)
            // The cache answers this one.
            let spent = usage.promptTokens
            #expect(
                try await retrieve("/api/notes/retrieve", "what pulls the sea").object["source"] as? String == "hybrid")

            _ = try await gateway.store.keys.change("reader") { $0.tokensPerDay = spent }
            try await gateway.waitForKeys()
            let calls = gateway.fake.statistics.embedBatches.count
            for path in ["/api/notes/retrieve", "/api/memories/retrieve"] {
                let reply = try await retrieve(path, "another question")
                #expect(reply.status == 200 && reply.object["source"] as? String == "keyword_fallback", "\(path)")
                #expect((reply.object["fallback_reason"] as? String)?.contains("tokens of the day") == true, "\(path)")
            }
            #expect(gateway.fake.statistics.embedBatches.count == calls)
            usage = try await gateway.usage(of: key) { $0.requests == 5 }
            #expect(usage.promptTokens == spent)
        }
    }

    @Test(.slow) func `a call that two keys wait for is charged to both`() async throws {
        var options = FakeOllama.Options()
        options.latency = 1
        try await LiveGateway.with(options) { gateway in
            let first = try await gateway.store.keys.create(name: "first")
            let second = try await gateway.store.keys.create(name: "second")
            try await gateway.waitForKeys()
            let body = #"{"text":"\#(String(repeating: "word ", count: 80))"}"#
            let one = Task { try await gateway.post("/api/llm/embed", body, token: first.secret) }
            #expect(await gateway.fake.waitUntil { $0.running == 1 })
            #expect(try await gateway.post("/api/llm/embed", body, token: second.secret).status == 200)
            #expect(try await one.value.status == 200)
            for key in [first, second] {
                let usage = try await gateway.usage(of: key) { $0.promptTokens > 0 }
                #expect((80...100).contains(usage.promptTokens), "\(usage)")
            }
            #expect(gateway.fake.statistics.embedBatches.count == 1)
        }
    }
}
