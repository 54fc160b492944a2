import FakeOllama
import Foundation
import TestSupport
import Testing

@Suite struct WireTests {
    @Test func `a stream is one chunk for each line, and its head comes with the first`() async throws {
        try await FakeOllama.withServer { fake in
            let body = #"{"model":"llama3.2","prompt":"one two","options":{"num_predict":2}}"#
            let reply = try await RawClient.ask(port: fake.port, "POST", "/api/generate", body)
            #expect(reply.head.contains("\r\nContent-Type: application/x-ndjson\r\n"))
            let start = #"{"model":"llama3.2","created_at":"2026-01-01T00:00:00.000000001Z","response":"#
            #expect(
                reply.chunks.prefix(2) == [
                    start + "\"the \",\"done\":false}\n", start + "\"gateway \",\"done\":false}\n",
                ])
            let last = try #require(reply.chunks.last)
            #expect(last.hasPrefix(start + #""","done":true,"done_reason":"length","context":["#))
            let counts =
                #""total_duration":5000000,"load_duration":1000000,"prompt_eval_count":2,"#
                + #""prompt_eval_duration":1000000,"eval_count":2,"eval_duration":3000000}"#
            #expect(last.hasSuffix(counts + "\n"))
        }
    }

    @Test func `no head comes before the first token`() async throws {
        var options = FakeOllama.Options()
        options.loadTime = 30
        try await FakeOllama.withServer(options) { fake in
            let connection = try RawClient(port: fake.port)
            try connection.send(
                RawClient.request(
                    "POST", "/api/chat", #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#))
            #expect(await fake.waitUntil { $0.loading == 1 })
            let first = Task { await connection.read(until: "HTTP/1.1") }
            // Others are answered meanwhile.
            #expect(try await RawClient.ask(port: fake.port, "GET", "/api/version").body.contains("version"))
            await fake.shutdown()
            #expect(await first.value.text.isEmpty)
            connection.close()
        }
    }

    @Test func `small replies have a length and large ones are chunked, as Go sends them`() async throws {
        try await FakeOllama.withServer { fake in
            let small = try await RawClient.ask(port: fake.port, "GET", "/api/version")
            #expect(small.head.contains("Content-Length: 20"))
            #expect(small.head.contains("Content-Type: application/json; charset=utf-8"))
            #expect(small.body == #"{"version":"0.33.0"}"#)
            let large = try await RawClient.ask(
                port: fake.port, "POST", "/api/embed", #"{"model":"all-minilm","input":["x","y","z"]}"#)
            #expect(large.head.lowercased().contains("transfer-encoding: chunked"))
            #expect(!large.head.contains("Content-Length"))
            let none = try await RawClient.ask(port: fake.port, "HEAD", "/")
            #expect(none.head.hasPrefix("HTTP/1.1 200 OK") && none.body.isEmpty)
            #expect(try await RawClient.ask(port: fake.port, "GET", "/").body == "Ollama is running")
        }
    }

    @Test(arguments: [
        ("GET", "/nowhere", 404), ("GET", "/api/chat", 405), ("DELETE", "/api/tags", 405),
        ("GET", "/debug/pprof/", 200),
        ("GET", "/v1/nothing", 404), ("GET", "/api/blobs/", 404), ("POST", "/v1/models/x", 405),
    ])
    func `unknown paths and methods get what Ollama gives`(method: String, path: String, status: Int) async throws {
        try await FakeOllama.withServer { fake in
            let reply = try await RawClient.ask(port: fake.port, method, path)
            #expect(reply.head.hasPrefix("HTTP/1.1 \(status)"))
            if status == 404 { #expect(reply.body == "404 page not found") }
            if status == 405 { #expect(reply.head.contains("\r\nAllow: ")) }
        }
    }

    @Test(arguments: [
        ("Host: example.org", 403), ("Host: 127.0.0.1:9", 200), ("Host: [::1]:9", 200), ("Host: box.local", 200),
        ("Origin: https://example.org", 403), ("Origin: http://localhost:3000", 200),
        ("Origin: http://localhost.example.org", 403), ("Origin: tauri://x", 200),
    ])
    func `hosts and origins that are not local are refused`(header: String, status: Int) async throws {
        try await FakeOllama.withServer { fake in
            let reply = try await RawClient.ask(port: fake.port, "GET", "/api/version", headers: [header])
            #expect(reply.head.hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test func `a test sees the request as it came`() async throws {
        try await FakeOllama.withServer { fake in
            let headers = ["Authorization: Bearer x", "X-Twice: 1", "X-Twice: 2"]
            let echo = try await RawClient.ask(port: fake.port, "POST", "/_echo?a=b", "body", headers: headers)
            #expect(echo.body.hasPrefix(#"{"method":"POST","target":"/_echo?a=b","headers":[["Host","localhost"],"#))
            #expect(echo.body.contains(#"["X-Twice","1"],["X-Twice","2"]"#))
            fake.setFaults(["echo@/api/chat"])
            let fault = try await RawClient.ask(port: fake.port, "POST", "/api/chat", "{}", headers: headers)
            #expect(fault.body.contains(#"["Authorization","Bearer x"]"#))
            let last = try #require(fake.lastRequest)
            #expect(last["x-twice"] == ["1", "2"])
            #expect(last.target == "/api/chat" && last.body == "{}")
        }
    }

    @Test func `a dripping reply is the same bytes, a few at a time`() async throws {
        try await FakeOllama.withServer { fake in
            let plain = try await RawClient.ask(port: fake.port, "GET", "/api/version")
            fake.setFaults(["drip=1:0.001"])
            let dripped = try await RawClient.ask(port: fake.port, "GET", "/api/version")
            #expect(dripped.text == plain.text)
            #expect(dripped.times.count > plain.text.count / 4)
            fake.setFaults(["drip=7:0.0001"])
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":3}}"#
            #expect(try await RawClient.ask(port: fake.port, "POST", "/api/generate", body).chunks.count == 4)
            fake.setFaults([])
            #expect(try await RawClient.ask(port: fake.port, "GET", "/api/version").text == plain.text)
        }
    }

    @Test func `a reset is one, in streams and in whole replies`() async throws {
        try await FakeOllama.withServer { fake in
            fake.setFaults(["rst=2"])
            let body = #"{"model":"llama3.2","prompt":"x"}"#
            let stream = try await RawClient.ask(port: fake.port, "POST", "/api/generate", body)
            #expect(stream.isReset)
            let whole = try await RawClient.ask(port: fake.port, "GET", "/api/tags")
            #expect(whole.isReset)
            fake.setFaults(["cut=1@/api/version"])
            let cut = try await RawClient.ask(port: fake.port, "GET", "/api/version")
            #expect(!cut.isReset && cut.body == #"{"version""#)
        }
    }

    @Test func `connections are kept, and closed for who asks and for HTTP 1.0`() async throws {
        try await FakeOllama.withServer { fake in
            let connection = try RawClient(port: fake.port)
            for _ in 0..<3 {
                try connection.send(RawClient.request("GET", "/api/version"))
                #expect(await connection.read(until: "}").text.hasPrefix("HTTP/1.1 200"))
            }
            try connection.send("GET /api/version HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(await connection.read().text.hasPrefix("HTTP/1.0 200"))
            connection.close()
        }
    }
}
