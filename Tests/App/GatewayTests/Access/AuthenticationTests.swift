import Gateway
import GatewayTestSupport
import Inference
import KeyRoom
import Server
import Storage
import Testing

@testable import Transport

@Suite(.serialized) struct Authentication {
    @Test func `a token opens every route but health, which needs none`() async throws {
        let token = "a-token-of-some-length"
        try await LiveGateway.with(settings: ["api_token": token]) { gateway in
            #expect(try await gateway.request("GET", "/health").status == 200)
            let none = try await gateway.request("GET", "/api/llm/health")
            #expect(none.status == 401)
            #expect(none.code == "unauthorized")
            #expect(none.head["www-authenticate"]?.hasPrefix("Bearer") == true)
            for wrong in ["x", token + "x", String(token.dropLast()), ""] {
                let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: wrong)
                #expect(reply.status == (wrong.isEmpty ? 401 : 403))
            }
            #expect(try await gateway.request("GET", "/nowhere").status == 401)
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: token).status == 200)
            let lower = try await gateway.request(
                "GET", "/api/llm/health", headers: [("authorization", "bearer  \(token) ")])
            #expect(lower.status == 200)
        }
    }

    @Test func `keys work while they live, and closing the door does not open it again`() async throws {
        try await LiveGateway.with { gateway in
            let query = #"{"query":"x"}"#
            #expect(try await gateway.post("/api/notes/retrieve", query).status == 200)
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/notes/retrieve", query).status == 401)
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).status == 200)
            #expect(try await gateway.post("/api/notes/retrieve", query, token: "slk_wrong").status == 403)
            try await gateway.store.keys.revoke("phone")
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/notes/retrieve", query, token: key.secret).status == 403)
            #expect(try await gateway.post("/api/notes/retrieve", query).status == 401)
        }
    }

    @Test func `without keys a foreign page or host cannot use loopback`() async throws {
        try await LiveGateway.with { gateway in
            let cases = [
                ("Origin", "https://evil.example", 403), ("Origin", "null", 403),
                ("Origin", "http://localhost:3000", 200),
                ("Origin", "http://127.0.0.1", 200), ("Host", "evil.example:5678", 403),
                ("Host", "127.0.0.1.evil.example", 403), ("Host", "localhost", 200),
            ]
            for (name, value, expected) in cases {
                let reply = try await gateway.request(
                    "POST", "/api/notes/retrieve", #"{"query":"x"}"#, headers: [(name, value)])
                #expect(reply.status == expected, "\(name): \(value)")
            }
        }
    }

    @Test func `another address than loopback is refused as long as anyone could come in`() async throws {
        do {
            try await LiveGateway.with(settings: ["host": "0.0.0.0"]) { _ in Issue.record("it listens") }
            Issue.record("no error")
        } catch let error as ConfigurationError {
            #expect(error.message.contains("SELENE_API_TOKEN"))
        }
    }
}
