import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

/// The requests in flight, and their cancelling.
@Suite(.serialized) struct LiveRequestRoutes {
    private static let endless =
        #"{"model":"llama3.2","prompt":"x","stream":true,"options":{"num_predict":100000}}"#

    private func live(_ gateway: LiveGateway) async throws -> [RequestInFlight] {
        let reply = try await gateway.request("GET", "/api/requests/live")
        #expect(reply.status == 200, "\(reply.text)")
        return try JSONDecoder().decode(LiveRequestList.self, from: reply.data).requests
    }

    /// The first request in flight for which a condition holds.
    private func find(
        _ gateway: LiveGateway, _ holds: (RequestInFlight) -> Bool
    ) async throws -> RequestInFlight {
        var found: RequestInFlight?
        try await waitUntil {
            found = try await live(gateway).first(where: holds)
            return found != nil
        }
        return try #require(found)
    }

    private func cancel(_ gateway: LiveGateway, _ id: String) async throws {
        let reply = try await gateway.request("DELETE", "/api/requests/live/\(id)")
        #expect(reply.status == 202 && reply.object["status"] as? String == "cancelling", "\(reply.text)")
    }

    @Test(.slow, arguments: ["/api/generate", "/api/llm/generate"])
    func `a stream is shown with its tokens, and ends with an error when it is cancelled`(path: String) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await LiveGateway.with(options) { gateway in
            let task = Task { try await gateway.post(path, Self.endless) }
            let isProxied = path == "/api/generate"
            let shown = try await find(gateway) {
                $0.phase == "streaming" && $0.responseBytes > 500 && (!isProxied || ($0.tokensPerSecond ?? 0) > 0)
            }
            #expect(shown.path == path && shown.route == path && shown.key == "anonymous")
            #expect(shown.ageMilliseconds > 0 && shown.firstTokenMilliseconds != nil && shown.place == nil)
            if isProxied { #expect((shown.generatedTokens ?? 0) > 0) } else { #expect(shown.model == "llama3.2") }
            try await cancel(gateway, shown.id)
            let reply = try await task.value
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 && $0.inFlight == 0 })
            let last = try #require(reply.text.split(separator: "\n").last)
            #expect(last.contains("an administrator cancelled this request"), "\(last)")
            try await waitUntil { try await live(gateway).isEmpty }
        }
    }

    @Test(.slow, arguments: ["/api/generate", "/api/llm/generate"], [LiveGateway.Encryption.usual, .http2])
    func `a request that waits for its first byte gets 403`(
        path: String, encryption: LiveGateway.Encryption
    ) async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options, encryption: encryption) { gateway in
            try await gateway.warmConnection()
            let task = Task { try await gateway.post(path, Self.endless) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            let shown = try await find(gateway) { $0.phase == "waiting" }
            try await cancel(gateway, shown.id)
            let reply = try await task.value
            #expect(reply.status == 403 && reply.text.contains("request_cancelled"), "\(reply.text)")
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 && $0.inFlight == 0 })
            let metrics = try await gateway.metrics { $0["selene_admission_in_flight"] == 0 }
            #expect(metrics["selene_admission_in_flight"] == 0)
        }
    }

    @Test(.slow, arguments: ["/api/generate", "/api/llm/generate"])
    func `a queued request shows its place, and leaves the queue when it is cancelled`(path: String) async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options, settings: ["max_in_flight": "1"]) { gateway in
            try await gateway.warmConnection()
            let first = Task { try await gateway.post("/api/generate", Self.endless) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            let second = Task { try await gateway.post(path, Self.endless) }
            let shown = try await find(gateway) { $0.phase == "queued" && $0.place != nil }
            #expect(shown.place == 1)
            try await cancel(gateway, shown.id)
            let reply = try await second.value
            #expect(reply.status == 403 && reply.text.contains("request_cancelled"), "\(reply.text)")
            let metrics = try await gateway.metrics { $0[#"selene_admission_waiting{priority="interactive"}"#] == 0 }
            #expect(metrics["selene_admission_in_flight"] == 1)
            #expect(try await live(gateway).count == 1)
            first.cancel()
            _ = await first.result
        }
    }

    @Test func `a queued request shows its model, and keeps it when it goes on`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        options.tokens = 100_000
        try await LiveGateway.with(options, settings: ["max_in_flight": "1"]) { gateway in
            try await gateway.warmConnection()
            let first = Task { try await gateway.post("/api/generate", Self.endless) }
            let ahead = try await find(gateway) { $0.phase == "streaming" }
            let body = #"{"messages":[{"role":"user","content":"x"}],"stream":true,"model":"gemma3:270m"}"#
            let named = Task { try await gateway.post("/v1/chat/completions", body) }
            let shown = try await find(gateway) { $0.phase == "queued" && $0.place == 1 }
            #expect(shown.model == "gemma3:270m")
            let nameless = Task { try await gateway.post("/api/generate", #"{"prompt":"x"}"#) }
            #expect(try await find(gateway) { $0.place == 2 }.model == nil)
            try await cancel(gateway, ahead.id)
            _ = try? await first.value
            let sent = try await find(gateway) { $0.id == shown.id && $0.phase != "queued" }
            #expect(sent.model == "gemma3:270m")
            for task in [named, nameless] {
                task.cancel()
                _ = await task.result
            }
        }
    }

    @Test(.slow, arguments: ["/api/generate", "/api/llm/generate"])
    func `the place of a queued request is that of now`(path: String) async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options, settings: ["max_in_flight": "1"]) { gateway in
            try await gateway.warmConnection()
            let first = Task { try await gateway.post("/api/generate", Self.endless) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            let second = Task { try await gateway.post("/api/generate", Self.endless) }
            let ahead = try await find(gateway) { $0.phase == "queued" && $0.place == 1 }
            let third = Task { try await gateway.post(path, Self.endless) }
            let shown = try await find(gateway) { $0.phase == "queued" && $0.place == 2 }
            try await cancel(gateway, ahead.id)
            _ = try await second.value
            _ = try await find(gateway) { $0.id == shown.id && $0.place == 1 }
            for task in [first, third] {
                task.cancel()
                _ = await task.result
            }
        }
    }

    @Test func `a request that waits in a route of the gateway's own is cancelled, too`() async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options) { gateway in
            try await gateway.warmConnection()
            let task = Task { try await gateway.post("/api/llm/embed", #"{"text":"x"}"#) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            let shown = try await find(gateway) { $0.route == "/api/llm/embed" }
            try await cancel(gateway, shown.id)
            let reply = try await task.value
            #expect(reply.status == 403 && reply.code == "request_cancelled", "\(reply.text)")
        }
    }

    @Test func `what is not in flight cannot be cancelled`() async throws {
        try await LiveGateway.with { gateway in
            for (id, status) in [("999", 404), ("x", 400), ("-1", 400)] {
                let reply = try await gateway.request("DELETE", "/api/requests/live/\(id)")
                #expect(reply.status == status, "\(id): \(reply.text)")
            }
            #expect(try await live(gateway).isEmpty)
        }
    }

    @Test(.slow) func `no request stays in flight after its end, however it ends`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 200
        try await LiveGateway.with(options) { gateway in
            gateway.fake.setFaults(["cut=2#2", "drop#1", "status=500#1"])
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    let path = number % 2 == 0 ? "/api/generate" : "/api/llm/generate"
                    group.addTask {
                        let task = Task { try await gateway.post(path, Self.endless) }
                        if number < 18 { _ = await gateway.fake.waitUntil { $0.bytesWritten > number * 300 } }
                        task.cancel()
                        _ = await task.result
                    }
                }
            }
            for path in ["/health", "/nowhere", "/api/notes/x", "/api/chat/runs"] {
                _ = try await gateway.request("GET", path)
            }
            try await waitUntil { try await live(gateway).isEmpty }
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1)
        }
    }
}
