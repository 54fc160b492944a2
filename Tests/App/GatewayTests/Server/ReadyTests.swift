import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// `GET /ready` and `/readyz`: whether the gateway can serve requests.
@Suite(.serialized) struct ReadyTests {
    private func checks(_ reply: LiveGateway.Reply) -> [String: Bool] {
        Dictionary(
            uniqueKeysWithValues: reply.objects("checks").map {
                ($0["name"] as? String ?? "", $0["ready"] as? Bool ?? false)
            })
    }

    @Test(.slow, arguments: ["/ready", "/readyz"])
    func `a gateway whose parts work is ready, without a key`(path: String) async throws {
        try await LiveGateway.with(settings: ["api_token": String(repeating: "k", count: 40)]) { gateway in
            try await waitUntil { try await gateway.request("GET", path).status == 200 }
            let reply = try await gateway.request("GET", path)
            #expect(reply.object["status"] as? String == "ready")
            #expect(checks(reply) == ["store": true, "index": true, "upstream": true])
        }
    }

    @Test(.slow) func `without an upstream it is not ready, unless the upstream is excluded, and says why`()
        async throws
    {
        let port = try LoopbackSocket.freePort()
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(port)"]) { gateway in
            try await waitUntil { try await gateway.request("GET", "/ready?exclude=upstream").status == 200 }
            let reply = try await gateway.request("GET", "/ready")
            #expect(reply.status == 503 && reply.object["status"] as? String == "not ready")
            #expect(checks(reply) == ["store": true, "index": true, "upstream": false])
            let reason = reply.objects("checks").last?["reason"] as? String
            #expect(reason?.hasPrefix("Ollama was not reached yet") == true, "\(reply.text)")
            #expect(try await gateway.request("GET", "/health").status == 200)
            let unknown = try await gateway.request("GET", "/ready?exclude=weather")
            #expect(unknown.status == 400 && unknown.error.contains("store, index, upstream"), "\(unknown.text)")
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `it is ready wherever the notes are`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            try await waitUntil { try await gateway.request("GET", "/ready").status == 200 }
        }
    }
}
