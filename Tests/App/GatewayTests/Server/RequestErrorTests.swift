import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import Storage
import TestSupport
import Testing

@testable import Transport

@Suite(.serialized) struct Errors {
    @Test func `every wrong request gets its status, its code and the field that is wrong`() async throws {
        let cases: [(method: String, path: String, body: String?, status: Int, code: String, word: String)] = [
            ("GET", "/none", nil, 404, "not_found", "/none"),
            ("DELETE", "/health", nil, 405, "method_not_allowed", "GET"),
            ("GET", "/api/notes/retrieve", nil, 405, "method_not_allowed", "POST"),
            ("POST", "/api/llm/generate", "", 400, "invalid_json", "empty"),
            ("POST", "/api/llm/generate", "{", 400, "invalid_json", "JSON"),
            ("POST", "/api/llm/generate", "[]", 400, "invalid_json", "object"),
            ("POST", "/api/llm/generate", "{}", 400, "invalid_field", "prompt"),
            ("POST", "/api/llm/generate", #"{"prompt":5}"#, 400, "invalid_field", "prompt"),
            ("POST", "/api/llm/generate", #"{"prompt":null}"#, 400, "invalid_field", "prompt"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","temperature":"hot"}"#, 400, "invalid_field", "temperature"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","temperature":-1}"#, 400, "invalid_field", "temperature"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","keep_alive":[]}"#, 400, "invalid_field", "keep_alive"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","format":7}"#, 400, "invalid_field", "format"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","model":""}"#, 400, "invalid_field", "model"),
            ("POST", "/api/llm/generate", #"{"prompt":"x","model":"none"}"#, 404, "model_not_found", "none"),
            (
                "POST", "/api/llm/generate", #"{"prompt":"x","model":"none","stream":true}"#, 404, "model_not_found",
                "none"
            ),
            ("POST", "/api/llm/embed", "{}", 400, "invalid_field", "text"),
            ("POST", "/api/llm/embed", #"{"text":""}"#, 400, "invalid_field", "text"),
            ("POST", "/api/llm/embed", #"{"text":"a","texts":["b"]}"#, 400, "invalid_field", "texts"),
            ("POST", "/api/llm/embed", #"{"texts":["a",""]}"#, 400, "invalid_field", "texts[1]"),
            ("POST", "/api/llm/embed", #"{"texts":["a",5]}"#, 400, "invalid_field", "texts[1]"),
            ("POST", "/api/llm/embed", #"{"text":"a","kind":"poem"}"#, 400, "invalid_field", "kind"),
            ("POST", "/api/notes/retrieve", "{}", 400, "invalid_field", "query"),
            ("POST", "/api/notes/retrieve", #"{"query":"  "}"#, 400, "invalid_field", "query"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","limit":0}"#, 400, "invalid_field", "limit"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","limit":1e9}"#, 400, "invalid_field", "limit"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","limit":"3"}"#, 400, "invalid_field", "limit"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","mode":"magic"}"#, 400, "invalid_field", "mode"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","fusion":"magic"}"#, 400, "invalid_field", "fusion"),
            ("POST", "/api/notes/retrieve", #"{"query":"x","noteType":7}"#, 400, "invalid_field", "noteType"),
            (
                "POST", "/api/notes/retrieve", #"{"query":"x","timeScope":{"since":"never"}}"#, 400, "invalid_field",
                "timeScope.since"
            ),
            (
                "POST", "/api/notes/retrieve", #"{"query":"x","timeScope":{"days":-1}}"#, 400, "invalid_field",
                "timeScope.days"
            ),
            ("POST", "/api/notes/retrieve", #"{"keywords":["x"],"mode":"vector"}"#, 400, "invalid_field", "query"),
            (
                "POST", "/api/notes/retrieve", #"{"query":"\#(String(repeating: "x", count: 20_000))"}"#, 400,
                "invalid_field", "query"
            ),
        ]
        try await LiveGateway.with { gateway in
            for test in cases {
                let reply = try await gateway.request(test.method, test.path, test.body)
                let place = "\(test.method) \(test.path) \(test.body?.prefix(80) ?? "")"
                #expect(reply.status == test.status, "\(place): \(reply.text)")
                #expect(reply.code == test.code, "\(place): \(reply.text)")
                #expect(reply.error.contains(test.word), "\(place): \(reply.text)")
                #expect(reply.object.count == 2, "\(place)")
                #expect(reply.head["x-request-id"]?.isEmpty == false, "\(place)")
            }
        }
    }

    @Test(.slow) func `bodies that are too large or of another type are refused`() async throws {
        try await LiveGateway.with(settings: ["max_body_bytes": "2048"]) { gateway in
            let large = #"{"prompt":"\#(String(repeating: "x", count: 3000))"}"#
            let reply = try await gateway.post("/api/llm/generate", large)
            #expect(reply.status == 413)
            #expect(reply.code == "too_large")
            let xml = try await gateway.request(
                "POST", "/api/llm/generate", #"{"prompt":"x"}"#, headers: [("Content-Type", "text/xml")])
            #expect(xml.status == 415)
            #expect(xml.code == "unsupported_media_type")

            let chunked = try RawClient(port: gateway.port)
            try chunked.send("POST /api/llm/generate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            try chunked.send("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n0\r\n\r\n")
            #expect(await chunked.readAll().hasPrefix("HTTP/1.1 413"))
            chunked.close()
        }
    }

    @Test func `bytes that are no HTTP, or too many headers, end in a refusal`() async throws {
        try await LiveGateway.with { gateway in
            for bytes in [
                "\u{0}\u{1}\u{2}\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                "POST /health HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                "GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "y", count: 40 << 10) + "\r\n\r\n",
            ] {
                let client = try RawClient(port: gateway.port)
                try client.send(bytes)
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.1 400"))
                #expect(reply.contains(#""code":"malformed_request""#))
                client.close()
            }
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
    }

    @Test(
        .slow,
        arguments: [
            ("status=500", 502, "upstream_error"), ("status=503", 503, "upstream_busy"), ("drop", 502, "upstream_cut"),
            ("stall-first=30", 504, "upstream_first_byte_timeout"), ("status=400", 400, "upstream_rejected"),
        ])
    func `an upstream's failures are told apart`(fault: String, status: Int, code: String) async throws {
        try await LiveGateway.with(settings: ["first_byte_timeout": "0.4"]) { gateway in
            gateway.fake.setFaults([fault])
            for body in [#"{"prompt":"x"}"#, #"{"prompt":"x","stream":true}"#] {
                let reply = try await gateway.post("/api/llm/generate", body)
                #expect(reply.status == status)
                #expect(reply.code == code)
            }
            #expect(try await gateway.post("/api/llm/embed", #"{"text":"x"}"#).code == code)
        }
    }

    @Test func `with no Ollama at all the gateway is up, says so, and finds by keyword`() async throws {
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:9"]) { gateway in
            #expect(try await gateway.request("GET", "/health").status == 200)
            let health = try await gateway.request("GET", "/api/llm/health")
            #expect(health.status == 200)
            #expect(health.object["available"] as? Bool == false)
            #expect(health.object["models"] as? [String] == [])
            let generate = try await gateway.post("/api/llm/generate", #"{"prompt":"x"}"#)
            #expect(generate.status == 502)
            #expect(generate.code == "upstream_refused")
            _ = try await gateway.store.notes.insert([NoteDraft(title: "Tide", content: "sea")])
            let found = try await gateway.post("/api/notes/retrieve", #"{"query":"tide"}"#)
            #expect(found.status == 200)
            #expect(found.object["source"] as? String == "keyword_fallback")
            #expect(found.object["count"] as? Int == 1)
            #expect((found.object["fallback_reason"] as? String)?.isEmpty == false)
        }
    }

    @Test func `health needs nothing and has its three fields`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.request("GET", "/health")
            #expect(Set(reply.object.keys) == ["status", "timestamp", "version"])
            #expect(reply.object["status"] as? String == "ok")
            let timestamp = try #require(reply.object["timestamp"] as? String)
            #expect(Timestamp.unixSeconds(timestamp) != nil)
            #expect(try await gateway.request("HEAD", "/health").status == 200)
            let llm = try await gateway.request("GET", "/api/llm/health")
            #expect(llm.object["available"] as? Bool == true)
            #expect((llm.object["models"] as? [String])?.contains("llama3.2:latest") == true)
        }
    }
}
