import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import HTTPTypes
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server
@testable import Transport

/// `/metrics` and `/api/admin/stats`, and what is counted.
@Suite(.serialized) struct Metrics {
    private static let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#

    @Test func `a scrape is strictly readable, and its names say what they are`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.post("/api/chat", Self.chat)
            _ = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#)
            _ = try await gateway.post("/api/llm/embed", #"{"text":"x"}"#)
            _ = try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#)
            let reply = try await gateway.request("GET", "/metrics")
            #expect(reply.status == 200)
            #expect(reply.head["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let metrics = try PrometheusReader(reply.text)
            for (name, kind) in metrics.kinds {
                #expect(name.hasPrefix("selene_"), "\(name)")
                #expect((kind == "counter") == name.hasSuffix("_total"), "\(name)")
                #expect(!name.contains("_ms") && !name.contains("milli"), "\(name)")
            }
            #expect(metrics[#"selene_build_info{version="\#(GatewayVersion.current)"}"#] == 1)
            #expect(metrics[#"selene_requests_total{route="/api/chat",method="POST",status="2xx"}"#] == 1)
            #expect(metrics[#"selene_requests_total{route="/api/llm/generate",method="POST",status="2xx"}"#] == 1)
            #expect(metrics[#"selene_retrievals_total{source="keyword_fallback"}"#] == 1)
            #expect(metrics[#"selene_retrieval_stage_seconds_count{stage="keyword"}"#] == 1)
            #expect(metrics["selene_first_token_seconds_count"] == 2)
            #expect(metrics["selene_embedding_cache_misses_total"] == 1)
            #expect(metrics["selene_queue_wait_seconds_count"] == 3)
            #expect(metrics["selene_model_load_seconds_count"] >= 1)
            #expect(metrics[#"selene_tokens_total{kind="generated"}"#] > 0)
            #expect(metrics["selene_upstream_up"] == 1)
            let name = gateway.fake.baseURL.dropFirst("http://".count)
            #expect(metrics[#"selene_upstream_in_order{upstream="\#(name)"}"#] == 1)
            #expect(metrics["selene_process_resident_memory_bytes"] > 1_000_000)
            #expect(metrics["selene_process_cpu_seconds_total"] > 0)
            #expect(metrics["selene_process_open_fds"] > 3)
            #expect(metrics["selene_requests_in_flight"] == 1)
            #expect(metrics["selene_connections_open"] >= 1)
        }
    }

    @Test(.slow) func `ten thousand random paths do not make a scrape longer`() async throws {
        let metrics = GatewayMetrics()
        for pattern in ProxyPolicy.patterns + ["/api/notes/{id}/related"] { metrics.register(pattern) }
        func scrape() -> String {
            var text = PrometheusText()
            metrics.write(to: &text)
            return text.text
        }
        func record(_ path: String) {
            var outcome = RequestOutcome(
                route: ProxyPolicy.pattern(of: path), path: path, method: .get, status: 404, phase: .done)
            outcome.isProxied = true
            metrics.record(outcome)
            metrics.retrievals[path].add()
        }
        record("/v1/first")
        for number in 0..<300 { metrics.retrievals["early \(number)"].add() }
        let before = scrape().split(separator: "\n").count
        for number in 0..<10_000 { record("/v1/\(UInt64.random(in: 0 ... .max))/\(number)") }
        #expect(scrape().split(separator: "\n").count <= before + 1)
        let read = try PrometheusReader(scrape())
        #expect(read[#"selene_requests_total{route="/v1/other",method="GET",status="4xx"}"#] == 10_001)
        #expect(read[#"selene_retrievals_total{source="other"}"#] > 9000)

        try await LiveGateway.with { gateway in
            for path in ["/a", "/v1/a", "/api/blobs/a", "/api/notes/1/x"] { _ = try await gateway.request("GET", path) }
            let before = try await gateway.metrics().values.count
            for _ in 0..<200 {
                let word = String(UInt64.random(in: 0 ... .max), radix: 36)
                for path in ["/\(word)", "/v1/\(word)", "/api/blobs/\(word)", "/api/notes/\(word)/x"] {
                    _ = try await gateway.request("GET", path)
                }
            }
            // `/metrics` counts itself from the second scrape on, and odd rows are counted a while after the start.
            #expect(try await gateway.metrics().values.count <= before + 60)
        }
    }

    @Test func `a client that leaves is counted in the phase in which it left`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 1000
        options.tokensPerSecond = 20
        try await LiveGateway.with(options, settings: ["max_in_flight": "1"]) { gateway in
            let streaming = try await gateway.open("POST", "/api/chat", Self.chat)
            var bytes = streaming.body.makeAsyncIterator()
            _ = try await bytes.next()
            let queued = Task { try await gateway.post("/api/chat", Self.chat) }
            _ = try await gateway.metrics { $0[#"selene_admission_waiting{priority="interactive"}"#] == 1 }
            queued.cancel()
            _ = await queued.result
            let waited = try await gateway.metrics {
                $0[#"selene_cancelled_requests_total{phase="queued"}"#] == 1
            }
            #expect(waited[#"selene_cancelled_requests_total{phase="queued"}"#] == 1)
            streaming.body.cancel()
            let left = try await gateway.metrics { $0[#"selene_cancelled_requests_total{phase="streaming"}"#] == 1 }
            #expect(left[#"selene_cancelled_requests_total{phase="streaming"}"#] == 1)
            #expect(left["selene_requests_in_flight"] == 1)
            #expect(left[#"selene_requests_total{route="/api/chat",method="POST",status="4xx"}"#] == 1)
        }
    }

    @Test(.slow, arguments: ["/api/chat", "/api/llm/generate"])
    func `a stream that broke is counted, whatever its status says`(path: String) async throws {
        try await LiveGateway.with { gateway in
            gateway.fake.setFaults(["cut=3"])
            let body = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"prompt":"x","stream":true}"#
            let reply = try await gateway.post(path, body)
            #expect(reply.status == 200)
            let metrics = try await gateway.metrics { $0["selene_broken_responses_total"] == 1 }
            #expect(metrics["selene_broken_responses_total"] == 1)
            #expect(metrics[#"selene_cancelled_requests_total{phase="streaming"}"#] == 0)
        }
    }

    @Test(.slow) func `every request is counted once, also of clients that leave at any moment`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 20
        options.tokensPerSecond = 400
        try await LiveGateway.with(options, settings: ["max_in_flight": "4"]) { gateway in
            let bodies = [
                ("/api/llm/generate", #"{"prompt":"x","stream":true}"#), ("/api/chat", Self.chat),
                ("/api/llm/generate", #"{"prompt":"x"}"#), ("/api/notes/retrieve", #"{"query":"x"}"#),
            ]
            let count = 200
            for number in 0..<count {
                let (path, body) = bodies[number % bodies.count]
                let client = try RawClient(port: gateway.port)
                try client.send(
                    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                if number % 5 == 0 {
                    _ = await client.readThrough("\r\n\r\n")
                } else {
                    try await Task.sleep(for: .microseconds(200 * (number % 13)))
                }
                client.close()
            }
            func total(_ metrics: PrometheusReader) -> Int {
                Int(
                    metrics.values.filter { $0.key.hasPrefix("selene_requests_total") && $0.key.contains("POST") }
                        .map(\.value).reduce(0, +))
            }
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 && total($0) == count }
            #expect(metrics["selene_requests_in_flight"] == 1)
            #expect(total(metrics) == count)
            #expect(metrics["selene_admission_in_flight"] == 0)
        }
    }

    @Test(.slow, arguments: ["/metrics", "/api/admin/stats"])
    func `with keys the figures are for administrators`(path: String) async throws {
        try await LiveGateway.with { gateway in
            #expect(try await gateway.request("GET", path).status == 200)
            let guest = try await gateway.store.keys.create(name: "guest", grant: KeyGrant(scopes: [.llm]))
            let admin = try await gateway.store.keys.create(name: "admin", grant: KeyGrant(scopes: [.admin]))
            try await gateway.waitForKeys()
            #expect(try await gateway.request("GET", path).status == 401)
            let refused = try await gateway.request("GET", path, headers: [("Authorization", "Bearer \(guest.secret)")])
            #expect(refused.code == "missing_scope")
            let allowed = try await gateway.request("GET", path, headers: [("Authorization", "Bearer \(admin.secret)")])
            #expect(allowed.status == 200)
            #expect(try await gateway.request("POST", path).status != 200)
        }
    }

    @Test(.slow) func `the statistics are what was done`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-long-enough-token"]) { gateway in
            let key = try await gateway.store.keys.create(name: "phone", grant: KeyGrant(scopes: [.llm]))
            try await gateway.waitForKeys()
            let reply = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#, token: key.secret)
            #expect(reply.status == 200)
            _ = try await gateway.usage(of: key) { $0.requests == 1 }
            let text = try await gateway.request(
                "GET", "/api/admin/stats", headers: [("Authorization", "Bearer a-long-enough-token")])
            let stats = try JSONDecoder().decode(StatsResponse.self, from: text.data)
            #expect(stats.version == GatewayVersion.current)
            #expect(stats.requests.total == 1)
            #expect(stats.requests.failed == 0)
            #expect(stats.requests.inFlight == 1)
            #expect(stats.tokens.generated > 0)
            #expect(stats.admission.granted == 1)
            #expect(stats.admission.maxInFlight == 64)
            #expect(stats.admission.meanServiceSeconds != nil)
            #expect(stats.keys.map(\.name) == ["phone"])
            #expect(stats.keys.first?.requests == 1)
            #expect(stats.upstream.available)
            #expect(stats.index?.notes == 0)
            #expect(stats.process.openFiles ?? 4 > 3)
            #expect(!text.text.contains(key.secret) && !text.text.contains("a-long-enough-token"))
        }
    }
}
