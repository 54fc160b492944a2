import FakeOllama
import Foundation
import GatewayTestSupport
import HTTPTypes
import Inference
import Storage
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// `Server-Timing`, the queue's headers and `Retry-After`.
@Suite(.serialized) struct TimingHeaders {
    private static let prompt = #"{"model":"llama3.2","prompt":"x","stream":false}"#

    /// The names of the stages with their milliseconds.
    private static func timing(_ reply: LiveGateway.Reply) throws -> [String: Double] {
        let header = try #require(reply.head["server-timing"])
        var stages: [String: Double] = [:]
        for entry in header.components(separatedBy: ", ") {
            let match = try #require(entry.wholeMatch(of: #/([a-z]+);dur=(\d+(?:\.\d{3})?)/#), "\(header)")
            stages[String(match.1)] = Double(match.2)
        }
        return stages
    }

    @Test func `responses tell where their time went`() async throws {
        try await LiveGateway.with { gateway in
            let own = try Self.timing(try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#))
            #expect(Set(own.keys) == ["queue", "upstream", "total"])
            #expect(try #require(own["total"]) >= #require(own["upstream"]))
            let retrieve = try Self.timing(try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#))
            #expect(Set(retrieve.keys).isSuperset(of: ["embed", "vector", "keyword", "fusion", "load", "total"]))
            #expect(Set(try Self.timing(try await gateway.request("GET", "/health")).keys) == ["total"])
            let proxied = try await gateway.post("/api/generate", Self.prompt)
            #expect(Set(try Self.timing(proxied).keys) == ["queue", "upstream"])
            #expect(proxied.head["x-queue-position"] == "0")
            #expect(proxied.head["x-queue-wait-ms"] == "0")
            #expect(Set(try Self.timing(try await gateway.request("GET", "/api/version")).keys) == ["upstream"])
        }
    }

    @Test(.slow, arguments: ["/api/generate", "/api/llm/generate"])
    func `a request that waited says at which place and for how long`(path: String) async throws {
        var options = FakeOllama.Options()
        // Long enough that the first request still runs when the second one comes, on a busy machine, too.
        options.tokens = 100
        options.tokensPerSecond = 50
        try await LiveGateway.with(options, settings: ["max_in_flight": "1"]) { gateway in
            async let first = gateway.post("/api/generate", Self.prompt)
            _ = try await gateway.metrics { $0["selene_admission_in_flight"] == 1 }
            let second = try await gateway.post(path, Self.prompt.replacing(#","stream":false"#, with: ""))
            #expect(second.head["x-queue-position"] == "1")
            #expect(Double(second.head["x-queue-wait-ms"] ?? "") ?? 0 > 1)
            #expect(try await first.status == 200)
        }
    }

    @Test(.slow) func `a full queue tells when to come back, by what it measured`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 30
        options.tokensPerSecond = 10
        try await LiveGateway.with(options, settings: ["max_in_flight": "1", "max_waiting": "0"]) { gateway in
            // A service of three seconds, so that a guess of one second would be too short.
            #expect(try await gateway.post("/api/generate", Self.prompt).status == 200)
            let running = Task { try await gateway.post("/api/generate", Self.prompt) }
            _ = try await gateway.metrics { $0["selene_admission_in_flight"] == 1 }
            let refused = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#)
            #expect(refused.status == 429)
            #expect(Int(refused.head["retry-after"] ?? "") != nil)
            gateway.fake.setFaults(["status=503"])
            running.cancel()
            _ = await running.result
            _ = try await gateway.metrics { $0["selene_admission_in_flight"] == 0 }
            let busy = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#)
            #expect(busy.status == 503)
            #expect(Int(busy.head["retry-after"] ?? "") != nil)
        }
    }

    @Test func `every refusal that passes has a time to try again`() {
        let admission = Admission(maxInFlight: 2, maxWaiting: 1)
        for code in [UpstreamError.Code.overloaded, .shuttingDown] {
            let error = GatewayError(upstream: UpstreamError(code, "x")).retriable(after: admission.expectedWaitSeconds)
            #expect(error.status.code == 429 || error.status.code == 503)
            #expect(error.retryAfterSeconds.map { (1...60).contains($0) } == true)
        }
        for status in [429, 503] {
            let error = GatewayError(upstream: UpstreamError(.status, "x", status: status)).retriable(
                after: admission.expectedWaitSeconds)
            #expect(error.retryAfterSeconds == 1)
        }
        #expect(
            GatewayError(.notFound, .notFound, "x").retriable(after: admission.expectedWaitSeconds).retryAfterSeconds
                == nil)
    }
}
