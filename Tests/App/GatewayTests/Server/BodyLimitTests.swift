import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// Bodies that are too deep, too many, too large or too slow: each costs its own request and nobody else's.
@Suite(.serialized) struct BodyLimitsLive {
    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private func post(_ path: String, length: Int, _ more: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\(more)\r\n"
    }

    @Test func `a nested body is refused at once on every route, whatever else is wrong with it`() async throws {
        try await LiveGateway.with { gateway in
            let many = "[" + Array(repeating: nested(480), count: 12).joined(separator: ",") + "]"
            for (path, body) in [
                ("/api/notes/search", #"{"query":"x","limit":92233720368547758070,"z":\#(many)}"#),
                ("/api/llm/generate", #"{"prompt":"x","format":{"a":\#(nested(480))}}"#),
                ("/api/sessions/a", #"{"messages":\#(nested(100_000))}"#),
            ] {
                let method = path.hasPrefix("/api/sessions") ? "PUT" : "POST"
                async let other = gateway.request(method, path, body)
                let reply = try await gateway.request(method, path, body)
                #expect(reply.status == 400 && reply.code == "invalid_json", "\(path): \(reply.text)")
                #expect(reply.error.contains("64"), "\(reply.text)")
                #expect(try await gateway.request("GET", "/health").status == 200)
                #expect(try await other.status == 400)
            }
        }
    }

    @Test func `a number that does not fit is told by its field`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/notes/search", #"{"query":"x","limit":92233720368547758070}"#)
            #expect(reply.status == 400 && reply.code == "invalid_field")
            #expect(reply.error.contains("limit") && reply.error.contains("whole number"), "\(reply.text)")
        }
    }

    @Test(.slow) func `eight megabytes of numbers are too many values, and none of them is decoded`() async throws {
        try await LiveGateway.with { gateway in
            let zeros = String(repeating: "0,", count: 4_000_000) + "0"
            let reply = try await gateway.post("/api/llm/generate", #"{"prompt":"x","format":{"a":[\#(zeros)]}}"#)
            #expect(reply.status == 413 && reply.code == "too_large", "\(reply.text.prefix(200))")
            let prompt = String(repeating: "word ", count: 1_600_000)
            #expect(try await gateway.post("/api/llm/generate", #"{"prompt":"\#(prompt)"}"#).status == 200)
            let metrics = try await gateway.metrics { $0["selene_body_bytes_in_memory"] == 0 }
            #expect(metrics["selene_body_bytes_in_memory"] == 0)
        }
    }

    @Test func `a length that no number holds is refused on routes that a rule rewrites`() async throws {
        try await LiveGateway.with(settings: ["model_aliases": "fast=llama3.2:1b"]) { gateway in
            let client = try RawClient(port: gateway.port)
            try? client.send(
                post("/api/show", length: .max) + #"{"model":"fast","pad":""# + String(repeating: "x", count: 64 << 10))
            #expect(await client.readAll().hasPrefix("HTTP/1.1 413"))
            client.close()
            let chunked = try RawClient(port: gateway.port)
            let chunk = "10000\r\n" + String(repeating: " ", count: 64 << 10) + "\r\n"
            try chunked.send("POST /api/show HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            try? chunked.send(String(repeating: chunk, count: 17))
            #expect(await chunked.readAll().hasPrefix("HTTP/1.1 413"))
            chunked.close()
            #expect(try await gateway.post("/api/show", #"{"model":"llama3.2"}"#).status == 200)
        }
    }

    @Test(.slow) func `slow uploads of one key hold no place, and arrive whole when they are whole`() async throws {
        try await LiveGateway.with(settings: ["max_in_flight": "2"]) { gateway in
            let slow = try await gateway.store.keys.create(name: "slow", grant: KeyGrant())
            let other = try await gateway.store.keys.create(name: "other", grant: KeyGrant(scopes: [.llm, .admin]))
            try await gateway.waitForKeys()
            let beginning = #"{"model":"llama3.2","stream":false,"prompt":""#
            let filling = String(repeating: "x", count: 2 << 20)
            let length = beginning.utf8.count + filling.utf8.count + 2
            let clients = try (0..<4).map { _ in try RawClient(port: gateway.port) }
            for client in clients {
                try client.send(
                    post("/api/generate", length: length, "Authorization: Bearer \(slow.secret)\r\n") + beginning
                        + filling)
            }
            // All but the last two bytes are here, on disk.
            let metrics = try await gateway.metrics(token: other.secret) {
                $0["selene_body_bytes_on_disk"] > Double(7 << 20)
            }
            #expect(metrics["selene_body_bytes_on_disk"] > Double(7 << 20))
            #expect(metrics["selene_admission_in_flight"] == 0)
            for _ in 0..<3 {
                let reply = try await gateway.post(
                    "/api/generate", #"{"model":"llama3.2","prompt":"x","stream":false}"#, token: other.secret)
                #expect(reply.status == 200)
            }
            for client in clients { try client.send("\"}") }
            for client in clients {
                #expect(await client.readThrough("\r\n").hasPrefix("HTTP/1.1 200"))
                client.close()
            }
            let after = try await gateway.metrics(token: other.secret) {
                $0["selene_body_bytes_on_disk"] == 0 && $0["selene_body_bytes_in_memory"] == 0
            }
            #expect(after["selene_body_bytes_on_disk"] == 0 && after["selene_body_bytes_in_memory"] == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: gateway.folder.path)
            #expect(!left.contains { $0.hasPrefix(".selene-body") })
        }
    }

    @Test(.slow) func `a body that waits on disk reaches the upstream byte for byte`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let bytes = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 13) }
            let client = try RawClient(port: gateway.port)
            try client.send(post("/v1/audio/transcriptions", length: bytes.count, "Connection: close\r\n"))
            client.sendInBackground(bytes) { _ in }
            #expect(await eventually(within: .seconds(60)) { server.received.count > bytes.count })
            let start = try #require(server.received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
            #expect(await server.waitUntil { $0.received.count == start + bytes.count })
            #expect(Array(server.received[start...]) == bytes)
            #expect(
                String(decoding: server.received[..<start], as: UTF8.self).contains(
                    "Content-Length: \(bytes.count)\r\n"))
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(await client.readAll().hasSuffix("ok"))
            client.close()
        }
    }

    @Test(.slow) func `a body that comes too slowly is refused, on Ollama's routes and on our own`() async throws {
        let settings = ["header_timeout": "0.3", "min_body_rate": "1000000"]
        try await LiveGateway.with(settings: settings) { gateway in
            for path in ["/api/generate", "/api/llm/generate", "/api/blobs/sha256:00"] {
                let client = try RawClient(port: gateway.port)
                try client.send(post(path, length: 100_000) + "{")
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.1 408"), "\(path): \(reply)")
                #expect(reply.contains("body_timeout") && reply.lowercased().contains("connection: close"), "\(reply)")
                client.close()
            }
            let metrics = try await gateway.metrics { $0["selene_slow_bodies_total"] == 3 }
            #expect(metrics["selene_slow_bodies_total"] == 3)
            let idle = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(idle["selene_requests_in_flight"] == 1)
        }
    }

    @Test func `bodies in memory are limited for all requests together`() async throws {
        let settings = ["max_body_bytes": "600000", "max_body_memory": "1200000"]
        try await LiveGateway.with(settings: settings) { gateway in
            let text = String(repeating: "x", count: 500_000)
            let clients = try (0..<2).map { _ in try RawClient(port: gateway.port) }
            for client in clients.prefix(1) { try client.send(post("/api/llm/embed", length: 590_000) + text) }
            let metrics = try await gateway.metrics { $0["selene_body_bytes_in_memory"] >= 500_000 }
            #expect(metrics["selene_body_bytes_in_memory"] == 500_000)
            try? clients[1].send(post("/api/llm/embed", length: 590_000) + text)
            let refused = await clients[1].readThrough("overloaded\"")
            #expect(refused.hasPrefix("HTTP/1.1 503") && refused.lowercased().contains("retry-after:"), "\(refused)")
            #expect(try await gateway.post("/api/llm/embed", #"{"text":"x"}"#).status == 200)
            for client in clients { client.close() }
            let after = try await gateway.metrics { $0["selene_body_bytes_in_memory"] == 0 }
            #expect(after["selene_body_bytes_in_memory"] == 0)
            #expect(after[#"selene_bodies_refused_total{place="memory"}"#] == 1)
            let stats = try await gateway.request("GET", "/api/admin/stats")
            #expect((stats.object["bodies"] as? [String: Any])?["refused"] as? Int == 1)
        }
    }

    @Test(.slow) func `a refused upload is not swallowed without end, on Ollama's routes and on our own`() async throws
    {
        try await LiveGateway.with(settings: ["api_token": "a-token-that-is-long-enough"]) { gateway in
            for path in ["/api/generate", "/api/llm/generate"] {
                let client = try RawClient(port: gateway.port)
                try client.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "10000\r\n" + String(repeating: "x", count: 64 << 10) + "\r\n"
                let sent = Counter()
                client.sendInBackground(Array(String(repeating: chunk, count: 1000).utf8)) { sent.add($0) }
                _ = await client.readAll()
                // What was swallowed, and what the system's buffers took.
                #expect(sent.value < 48 << 20, "\(path)")
                client.close()

                let quiet = try RawClient(port: gateway.port)
                try quiet.send(post(path, length: 1000) + "x")
                #expect(await quiet.readAll().hasPrefix("HTTP/1.1 401"))
                quiet.close()
            }
        }
    }

    @Test(.slow) func `a client that sends at full speed always reads its refusal`() async throws {
        try await LiveGateway.with(settings: ["max_body_bytes": "4096"]) { gateway in
            let body = Array(repeating: UInt8(ascii: " "), count: 12 << 20)
            let heads = ["/api/llm/generate", "/api/show"].flatMap { path in
                [
                    post(path, length: body.count), post(path, length: body.count, "Connection: close\r\n"),
                    post(path, length: body.count).replacing("HTTP/1.1", with: "HTTP/1.0"),
                ]
            }
            for round in 0..<54 {
                let head = heads[round % heads.count]
                let client = try RawClient(port: gateway.port)
                try client.send(head)
                let sent = Counter()
                client.sendInBackground(body) { sent.add($0) }
                // It reads only when everything is sent.
                #expect(await eventually { sent.value == body.count }, "\(head)")
                let reading = await client.read()
                #expect(reading.head.contains(" 413 ") && !reading.isReset, "\(head): \(reading)")
                client.close()
            }
        }
    }
}
