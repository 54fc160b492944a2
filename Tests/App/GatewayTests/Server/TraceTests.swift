import FakeOllama
import Foundation
import Gateway
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Server
import Storage
import TestSupport
import Testing
import Transport

/// Traces: what a collector gets of requests, and what servers of models learn.
@Suite(.serialized) struct Traces {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let caller = "00f067aa0ba902b7"
    private static let parent = [
        (name: "traceparent", value: "00-\(trace)-\(caller)-01"), (name: "tracestate", value: "rojo=1,congo=2"),
    ]
    private static let messages = #""messages":[{"role":"user","content":"where is the harbour gauge"}]"#
    private static let chat = #"{"model":"llama3.2",\#(messages)}"#

    /// A span as the collector reads it.
    private struct Span {
        var name: String
        var kind: Int
        var trace: String
        var id: String
        var parent: String?
        var isFailed: Bool
        /// Seconds.
        var duration: Double
        var attributes: [String: String] = [:]

        init(_ object: [String: Any]) {
            func text(_ name: String) -> String { object[name] as? String ?? "" }
            (name, trace, id, parent) = (
                text("name"), text("traceId"), text("spanId"), object["parentSpanId"] as? String
            )
            kind = object["kind"] as? Int ?? 0
            isFailed = (object["status"] as? [String: Any])?["code"] as? Int == 2
            let times = ["startTimeUnixNano", "endTimeUnixNano"].map { Double(text($0)) ?? 0 }
            duration = (times[1] - times[0]) / 1e9
            for pair in object["attributes"] as? [[String: Any]] ?? [] {
                let value = (pair["value"] as? [String: Any])?.values.first
                attributes[pair["key"] as? String ?? ""] = value.map { "\($0)" }
            }
        }
    }

    /// What a collector got.
    private struct Sent {
        var text: String
        var spans: [Span]

        /// The spans of a trace, or of a route: that of the request, then that of the call.
        func of(_ name: String) throws -> (request: Span, call: Span?) {
            let request = try #require(spans.first { $0.kind == 2 && $0.name == name }, "\(spans.map(\.name))")
            return (request, spans.first { $0.kind == 3 && $0.parent == request.id })
        }
    }

    /// Runs requests through a gateway with traces, and returns what was sent by its end.
    private func sent(
        _ options: FakeOllama.Options = .init(), settings: [String: String] = [:],
        _ body: (LiveGateway) async throws -> Void
    ) async throws -> Sent {
        let collector = try ScriptedServer { _ in .reply(200, "{}") }
        defer { collector.stop() }
        let all = settings.merging(["otel_exporter_otlp_endpoint": collector.address]) { own, _ in own }
        try await LiveGateway.with(options, settings: all, body)
        let requests = collector.requests
        var spans: [Span] = []
        for request in requests {
            let json = Data((request.components(separatedBy: "\r\n\r\n").last ?? "").utf8)
            let object = try JSONSerialization.jsonObject(with: json) as? [String: Any]
            for resource in object?["resourceSpans"] as? [[String: Any]] ?? [] {
                for scope in resource["scopeSpans"] as? [[String: Any]] ?? [] {
                    spans += (scope["spans"] as? [[String: Any]] ?? []).map(Span.init)
                }
            }
        }
        return Sent(text: requests.joined(), spans: spans)
    }

    @Test func `a proxied chat goes on in its caller's trace, to Ollama and to the collector`() async throws {
        let upstream = Locked<[String]>([])
        let sent = try await sent { gateway in
            let reply = try await gateway.request("POST", "/api/chat", Self.chat, headers: Self.parent)
            #expect(reply.status == 200)
            upstream.change { seen in
                let last = gateway.fake.lastRequest
                seen = (last?["traceparent"] ?? []) + (last?["tracestate"] ?? [])
            }
        }
        let (request, found) = try sent.of("POST /api/chat")
        let call = try #require(found)
        #expect(request.trace == Self.trace && request.parent == Self.caller && call.trace == Self.trace)
        #expect(upstream.value == ["00-\(Self.trace)-\(call.id)-01", "rojo=1,congo=2"])
        #expect(request.attributes["http.request.method"] == "POST" && request.attributes["http.route"] == "/api/chat")
        #expect(request.attributes["url.path"] == "/api/chat" && request.attributes["selene.key"] == "anonymous")
        #expect(request.attributes["http.response.status_code"] == "200" && !request.isFailed)
        #expect(call.name == "chat llama3.2" && call.attributes["gen_ai.operation.name"] == "chat")
        #expect(call.attributes["gen_ai.provider.name"] == "ollama")
        #expect(call.attributes["gen_ai.request.model"] == "llama3.2")
        #expect((call.attributes["gen_ai.usage.input_tokens"].flatMap { Int($0) } ?? 0) > 0)
        #expect((call.attributes["gen_ai.usage.output_tokens"].flatMap { Int($0) } ?? 0) > 0)
        #expect(call.attributes["server.address"] == "127.0.0.1" && call.attributes["server.port"] != nil)
        #expect((call.attributes["gen_ai.response.time_to_first_chunk"].flatMap { Double($0) } ?? 0) > 0)
        #expect(call.attributes["error.type"] == nil && call.duration > 0 && call.duration <= request.duration + 0.001)
        // No word of the prompt or of the answer leaves.
        #expect(!sent.text.contains("harbour") && sent.text.contains("service.name"))
    }

    @Test(
        .slow,
        arguments: [
            ("/api/llm/generate", #"{"model":"llama3.2","prompt":"x"}"#, "text_completion llama3.2", "/api/generate"),
            ("/api/llm/generate", #"{"prompt":"x","stream":true}"#, "text_completion llama3.2", "/api/generate"),
            ("/v1/chat/completions", #"{"model":"llama3.2",\#(messages)}"#, "chat llama3.2", "/v1/chat/completions"),
            ("/api/llm/embed", #"{"text":"x"}"#, "embeddings nomic-embed-text", "/api/embed"),
            ("/api/embed", #"{"model":"nomic-embed-text","input":"x"}"#, "embeddings nomic-embed-text", "/api/embed"),
        ])
    func `each call of a model has a span, which its server knows`(
        path: String, body: String, name: String, asked: String
    ) async throws {
        let header = Locked("")
        let sent = try await sent { gateway in
            let reply = try await gateway.request("POST", path, body, headers: Self.parent)
            #expect(reply.status == 200)
            let call = gateway.fake.received.last { $0.target == asked }
            header.change { $0 = call?["traceparent"].joined() ?? "" }
        }
        let (request, call) = try sent.of("POST \(path)")
        #expect(request.trace == Self.trace && call?.name == name)
        #expect(header.value == "00-\(Self.trace)-\(call?.id ?? "")-01")
        #expect(call?.attributes["gen_ai.usage.input_tokens"] != nil && call?.attributes["server.port"] != nil)
    }

    @Test func `a search has its stages, and calls models as a part of the request`() async throws {
        let header = Locked("")
        let sent = try await sent { gateway in
            _ = try await gateway.post("/api/notes", #"{"title":"a","content":"the harbour gauge"}"#)
            try await gateway.backfill()
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"gauge"}"#).status == 200)
            let call = gateway.fake.received.last { $0.target == "/api/embed" }
            header.change { $0 = call?["traceparent"].joined() ?? "" }
        }
        let (request, call) = try sent.of("POST /api/notes/retrieve")
        #expect(call == nil && header.value == "00-\(request.trace)-\(request.id)-01")
        #expect(request.attributes.keys.contains { $0.hasPrefix("selene.stage.") })
        #expect(!sent.text.contains("gauge"))
    }

    @Test func `errors have the gateway's code, and a client that leaves is no error`() async throws {
        var options = FakeOllama.Options()
        options.tokens = 1000
        options.tokensPerSecond = 20
        let sent = try await sent(options) { gateway in
            #expect(gateway.fake.setFaults(["status=500@/api/embed"]))
            _ = try await gateway.post("/api/llm/embed", #"{"text":"x"}"#)
            gateway.fake.setFaults([])
            _ = try await gateway.post("/api/notes", "no JSON")
            _ = try await gateway.request("PURGE", "/secret/topic")
            let response = try await gateway.open("POST", "/api/chat", Self.chat)
            var bytes = response.body.makeAsyncIterator()
            _ = try await bytes.next()
            response.body.cancel()
            _ = try await gateway.metrics { $0[#"selene_cancelled_requests_total{phase="streaming"}"#] == 1 }
        }
        let failed = try sent.of("POST /api/llm/embed")
        #expect(failed.request.isFailed && failed.call?.isFailed == true)
        #expect(failed.request.attributes["error.type"]?.hasPrefix("upstream") == true)
        let refused = try sent.of("POST /api/notes")
        #expect(refused.request.attributes["error.type"] == "invalid_json" && !refused.request.isFailed)
        #expect(refused.call == nil)
        let missing = try sent.of("HTTP")
        #expect(missing.request.attributes["http.request.method"] == "_OTHER")
        #expect(!sent.text.contains("secret") && !sent.text.contains("PURGE"))
        let left = try sent.of("POST /api/chat")
        #expect(
            left.request.attributes["selene.cancelled"] == "1" && left.request.attributes["selene.phase"] == "streaming"
        )
        #expect(left.call?.isFailed == false && left.call?.attributes["error.type"] == nil)
    }

    @Test func `no key and no secret leaves, and a stranger does not decide what is recorded`() async throws {
        let secrets = Locked<[String]>([])
        let settings = ["otel_exporter_otlp_headers": "x-scope=team%20one", "otel_traces_sampler_arg": "0"]
        let sent = try await sent(settings: settings) { gateway in
            let bearer = try await gateway.store.keys.create(name: "radio", grant: KeyGrant(scopes: [.llm]))
            let path = try await gateway.store.keys.create(name: "tablet", isForPaths: true)
            try await gateway.waitForKeys()
            secrets.change { $0 = [bearer.secret, path.secret] }
            let key = [(name: "Authorization", value: "Bearer \(bearer.secret)")]
            #expect(try await gateway.request("POST", "/api/chat", Self.chat, headers: Self.parent + key).status == 200)
            #expect(
                try await gateway.request("GET", "/k/\(path.secret)/api/tags", headers: Self.parent).status == 200)
            // The share is none, so neither a stranger's wish nor a key without one is recorded.
            #expect(try await gateway.request("GET", "/api/version", headers: Self.parent).status == 401)
            #expect(try await gateway.request("GET", "/api/version", headers: key).status == 200)
        }
        #expect(Set(sent.spans.map(\.name)) == ["POST /api/chat", "chat llama3.2", "GET /api/tags"])
        #expect(try sent.of("POST /api/chat").request.attributes["selene.key"] == "radio")
        #expect(try sent.of("GET /api/tags").request.attributes["selene.key"] == "tablet")
        #expect(sent.text.contains("x-scope: team one\r\n"))
        for secret in secrets.value { #expect(!sent.text.contains(secret)) }
    }

    @Test func `what the caller does not record is not sent, and its header passes`() async throws {
        let header = Locked<[String]>([])
        let quiet = [(name: "traceparent", value: "00-\(Self.trace)-\(Self.caller)-00")]
        let sent = try await sent { gateway in
            #expect(try await gateway.request("POST", "/api/chat", Self.chat, headers: quiet).status == 200)
            header.change { $0 = gateway.fake.lastRequest?["traceparent"] ?? [] }
            _ = try await gateway.request("POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: quiet)
            #expect(gateway.fake.lastRequest?["traceparent"] == [])
            // Nobody wants to see these all day.
            _ = try await gateway.request("GET", "/health")
        }
        #expect(sent.spans.isEmpty && header.value == [quiet[0].value])
    }

    @Test func `without a collector nothing is begun, and a client's header passes as it is`() async throws {
        try await LiveGateway.with { gateway in
            #expect(try await gateway.request("POST", "/api/chat", Self.chat, headers: Self.parent).status == 200)
            #expect(gateway.fake.lastRequest?["traceparent"] == [Self.parent[0].value])
            #expect(gateway.fake.lastRequest?["tracestate"] == [Self.parent[1].value])
            _ = try await gateway.request("POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: Self.parent)
            #expect(gateway.fake.lastRequest?["traceparent"] == [])
            #expect(gateway.application.configuration.telemetry.export == nil)
            #expect(try await gateway.metrics().values.keys.allSatisfy { !$0.hasPrefix("selene_spans") })
        }
    }

    @Test func `a collector that is away changes no answer, and what is lost is counted`() async throws {
        let collector = try ScriptedServer { _ in .drop }
        defer { collector.stop() }
        try await LiveGateway.with(settings: ["otel_exporter_otlp_endpoint": collector.address]) { gateway in
            for _ in 0..<3 { #expect(try await gateway.post("/api/chat", Self.chat).status == 200) }
            let metrics = try await gateway.metrics()
            #expect(metrics["selene_spans_sent_total"] == 0)
            #expect(metrics["selene_spans_waiting"] + metrics["selene_spans_dropped_total"] >= 6)
        }
    }

    @Test func `wrong settings are named with what is expected, and secrets are not shown`() throws {
        func problem(_ settings: [String: String]) -> String {
            var environment = ["HOME": "/nowhere", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]
            environment.merge(settings) { $1 }
            do {
                _ = try GatewayConfiguration.load(environment: environment)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(problem([:]).isEmpty)
        let address = problem(["OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4317"])
        #expect(
            address.contains("OTEL_EXPORTER_OTLP_ENDPOINT") && address.contains("http://127.0.0.1:4318"), "\(address)")
        let headers = problem(["OTEL_EXPORTER_OTLP_HEADERS": "authorization Bearer-sesame"])
        #expect(headers.contains("OTEL_EXPORTER_OTLP_HEADERS") && !headers.contains("sesame"), "\(headers)")
        for share in ["2", "-1", "nan", "x"] {
            #expect(problem(["OTEL_TRACES_SAMPLER_ARG": share]).contains("0 to 1"), "\(share)")
        }
        // Without a collector the others may be another program's.
        #expect(problem(["OTEL_EXPORTER_OTLP_ENDPOINT": "", "OTEL_TRACES_SAMPLER_ARG": "endpoint=x"]).isEmpty)
    }
}
