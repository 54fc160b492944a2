import FakeOllama
import Foundation
import TestSupport
import Testing

@Suite struct AdministrationTests {
    private func status(_ lines: [String]) -> [String] {
        lines.compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["status"] as? String ?? object?["error"] as? String
        }
    }

    @Test func `a pull tells how far it is, and the model is there`() async throws {
        try await FakeOllama.withServer { fake in
            let pull = try await RawClient.ask(port: fake.port, "POST", "/api/pull", #"{"model":"new-model"}"#)
            #expect(pull.chunks.first == "{\"status\":\"pulling manifest\"}\n")
            let digest = "sha256:0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f"
            #expect(
                pull.chunks[1] == #"{"status":"pulling 0a109f422b47","digest":"\#(digest)","total":1000000}"# + "\n")
            #expect(
                pull.chunks[2]
                    == #"{"status":"pulling 0a109f422b47","digest":"\#(digest)","total":1000000,"completed":200000}"#
                    + "\n")
            #expect(status(pull.chunks).suffix(3) == ["verifying sha256 digest", "writing manifest", "success"])
            let body = #"{"model":"new-model","stream":false}"#
            let whole = try await RawClient.ask(port: fake.port, "POST", "/api/pull", body)
            #expect(whole.body == #"{"status":"success"}"#)
            #expect(
                try await RawClient.ask(port: fake.port, "POST", "/api/show", body).head.hasPrefix("HTTP/1.1 200"))
            let missing = try await RawClient.ask(port: fake.port, "POST", "/api/pull", #"{"model":"missing"}"#)
            #expect(missing.chunks.last == "{\"error\":\"pull model manifest: file does not exist\"}\n")
        }
    }

    @Test func `models are copied, made, pushed and deleted`() async throws {
        try await FakeOllama.withServer { fake in
            func ask(_ method: String, _ path: String, _ body: String) async throws -> RawClient.Reading {
                try await RawClient.ask(port: fake.port, method, path, body)
            }
            let copy = try await ask("POST", "/api/copy", #"{"source":"llama3.2","destination":"mine"}"#)
            #expect(copy.head.hasPrefix("HTTP/1.1 200") && copy.head.contains("Content-Length: 0") && copy.body.isEmpty)
            let made = try await ask("POST", "/api/create", #"{"model":"brief","from":"mine","system":"Be brief"}"#)
            #expect(status(made.chunks).suffix(2) == ["writing manifest", "success"])
            let none = try await ask("POST", "/api/create", #"{"model":"brief"}"#)
            #expect(none.body == #"{"error":"neither 'from' or 'files' was specified"}"#)
            let push = try await ask("POST", "/api/push", #"{"model":"brief"}"#)
            #expect(status(push.chunks).first == "retrieving manifest" && status(push.chunks).last == "success")
            for name in ["mine", "brief"] {
                #expect(try await ask("DELETE", "/api/delete", #"{"model":"\#(name)"}"#).head.hasPrefix("HTTP/1.1 200"))
            }
            let gone = try await ask("DELETE", "/api/delete", #"{"name":"mine"}"#)
            #expect(gone.body == #"{"error":"model 'mine' not found"}"#)
            let absent = try await ask("POST", "/api/copy", #"{"source":"mine","destination":"x"}"#)
            #expect(absent.body == #"{"error":"model \"mine\" not found"}"#)
        }
    }

    @Test func `a blob is counted as it comes and checked against its digest`() async throws {
        try await FakeOllama.withServer { fake in
            let text = String(repeating: "a", count: 1000)
            let digest = "sha256:41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
            let path = "/api/blobs/\(digest)"
            #expect(try await RawClient.ask(port: fake.port, "HEAD", path).head.hasPrefix("HTTP/1.1 404"))
            let wrong = try await RawClient.ask(port: fake.port, "POST", path, "b")
            #expect(wrong.head.hasPrefix("HTTP/1.1 400"))
            #expect(wrong.body.contains(#"digest mismatch, expected \"\#(digest)\", got \"sha256:3e23e8160039"#))
            let made = try await RawClient.ask(port: fake.port, "POST", path, text)
            #expect(made.head.hasPrefix("HTTP/1.1 201"))
            #expect(fake.statistics.bytesUploaded == 1001)
            #expect(try await RawClient.ask(port: fake.port, "HEAD", path).head.hasPrefix("HTTP/1.1 200"))
            let odd = try await RawClient.ask(port: fake.port, "HEAD", "/api/blobs/sha256:xyz")
            #expect(odd.head.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func `an upload that stops half-way is seen, and so is one that waits for leave`() async throws {
        try await FakeOllama.withServer { fake in
            let path = "/api/blobs/sha256:" + String(repeating: "0", count: 64)
            let half = try RawClient(port: fake.port)
            try half.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf")
            #expect(await fake.waitUntil { $0.bytesUploaded == 4 && $0.inFlight == 1 })
            half.close()
            #expect(await fake.waitUntil { $0.cancelledIn == ["upload": 1] && $0.inFlight == 0 })
            let polite = try RawClient(port: fake.port)
            try polite.send(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
            )
            #expect(await polite.read(until: "\r\n\r\n").text.hasPrefix("HTTP/1.1 100 Continue"))
            try polite.send("x")
            #expect(await polite.read().text.hasPrefix("HTTP/1.1 400"))
            polite.close()
        }
    }

    @Test func `tags, ps and show describe a model alike`() async throws {
        try await FakeOllama.withServer { fake in
            let idle = try await RawClient.ask(port: fake.port, "GET", "/api/ps")
            #expect(idle.body == #"{"models":[]}"#)
            _ = try await RawClient.ask(
                port: fake.port, "POST", "/api/embed", #"{"model":"all-minilm","input":[]}"#)
            let busy = try await RawClient.ask(port: fake.port, "GET", "/api/ps")
            #expect(
                busy.body.hasPrefix(
                    #"{"models":[{"name":"all-minilm:latest","model":"all-minilm:latest","size":1000000,"digest":"sha256:0a"#
                ))
            #expect(
                busy.body.contains(#""expires_at":"20"#)
                    && busy.body.hasSuffix(#""size_vram":1000000,"context_length":4096}]}"#))
            let show = try await RawClient.ask(port: fake.port, "POST", "/api/show", #"{"name":"all-minilm"}"#)
            #expect(
                show.body.contains(
                    #""model_info":{"bert.block_count":16,"bert.context_length":8192,"bert.embedding_length":384,"#))
            #expect(show.body.hasSuffix(#""capabilities":["embedding"],"modified_at":"2026-01-01T00:00:00Z"}"#))
            let tags = try await RawClient.ask(port: fake.port, "GET", "/api/tags")
            #expect(
                tags.chunks.joined().contains(
                    #""quantization_level":"F16","context_length":8192,"embedding_length":384},"capabilities":["embedding"]}"#
                ))
        }
    }
}
