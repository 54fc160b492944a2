import FakeOllama
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ServerTests {
    private func ask(_ fake: FakeOllama, _ path: String, _ body: String? = nil) async throws -> (Int, String) {
        var request = URLRequest(url: try #require(URL(string: fake.baseURL + path)))
        request.timeoutInterval = 20
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    private func status(_ fake: FakeOllama, _ path: String, _ body: String? = nil) async throws -> Int {
        try await ask(fake, path, body).0
    }

    @Test func `a stream is a line for each token and a last one with the counts`() async throws {
        try await FakeOllama.withServer { fake in
            let body = #"{"model":"llama3.2","prompt":"one two","options":{"num_predict":4}}"#
            let (status, text) = try await ask(fake, "/api/generate", body)
            #expect(status == 200)
            let lines = try text.split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
            #expect(lines.count == 5)
            let unfinished = lines.filter { $0["done"] as? Bool == false }
            #expect(unfinished.count == 4)
            #expect(lines.last?["done"] as? Bool == true)
            #expect(lines.last?["eval_count"] as? Int == 4)
            #expect(lines.last?["prompt_eval_count"] as? Int == 2)
            #expect(fake.statistics.completed == 1)
            #expect(fake.statistics.requests == ["/api/generate": 1])
        }
    }

    @Test func `a negative number of tokens means the model's own`() async throws {
        try await FakeOllama.withServer { fake in
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":-1}}"#
            let (_, text) = try await ask(fake, "/api/generate", body)
            #expect(text.split(separator: "\n").count == 33)
        }
    }

    @Test func `an unknown model is 404 and broken JSON is 400`() async throws {
        try await FakeOllama.withServer { fake in
            let (missing, text) = try await ask(fake, "/api/chat", #"{"model":"none","messages":[]}"#)
            #expect(missing == 404)
            #expect(text == #"{"error":"model 'none' not found"}"#)
            #expect(try await status(fake, "/api/embed", "{") == 400)
            #expect(try await status(fake, "/nowhere") == 404)
        }
    }

    @Test func `faults count down and are refused as a whole when one is wrong`() async throws {
        try await FakeOllama.withServer { fake in
            let set = try await status(fake, "/_faults", #"["status=503@/api/version#1"]"#)
            let refused = try await status(fake, "/_faults", #"["drop","cut=x"]"#)
            #expect(set == 200)
            #expect(refused == 400)
            let other = try await status(fake, "/api/tags")
            let first = try await status(fake, "/api/version")
            let second = try await status(fake, "/api/version")
            #expect(other == 200)
            #expect(first == 503)
            #expect(second == 200)
        }
    }

    @Test func `a client that leaves before the first byte is counted as cancelled`() async throws {
        try await FakeOllama.withServer { fake in
            fake.setFaults(["stall-first=30"])
            let asking = Task { try await ask(fake, "/api/generate", #"{"model":"llama3.2","prompt":"x"}"#) }
            #expect(await fake.waitUntil { $0.inFlight == 1 })
            asking.cancel()
            #expect(await fake.waitUntil { $0.cancelled == 1 && $0.inFlight == 0 })
        }
    }
}
