import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import KeyRoom
import NIOCore
import Storage
import TestSupport
import Testing

@testable import Transport

/// Who may use which of Ollama's routes, and what of a request the upstream sees.
@Suite(.serialized) struct ProxyRules {
    @Test func `what is not Ollama's API is never passed on`() async throws {
        try await LiveGateway.with { gateway in
            for path in [
                "/debug", "/debug/pprof/", "/debug/pprof/heap?debug=1", "//debug/pprof", "/v1/../debug/pprof",
                "/v1/%2e%2e/debug/pprof", "/v1/%2E%2E/debug", "/v1//debug", "/v1/..\\debug", "/api/blobs/../../debug",
                "/api/../debug/pprof", "/api/", "/api/unknown", "/v1", "/_stats", "/API/TAGS",
            ] {
                let client = try RawClient(port: gateway.port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let reply = await client.readAll()
                client.close()
                #expect(reply.hasPrefix("HTTP/1.1 404"), "\(path): \(reply)")
                #expect(reply.contains(#""error":"#), "\(path)")
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }

    static let administration = [
        ("POST", "/api/pull"), ("POST", "/api/push"), ("POST", "/api/create"), ("POST", "/api/copy"),
        ("DELETE", "/api/delete"), ("HEAD", "/api/blobs/sha256:00"), ("POST", "/api/blobs/sha256:00"),
    ]

    @Test func `a key may not administer models, the token and this machine without keys may`() async throws {
        try await LiveGateway.with { gateway in
            for (method, path) in Self.administration {
                let reply = try await gateway.request(method, path, "{}")
                #expect(reply.status != 403)
                #expect(gateway.fake.statistics.requests[path, default: 0] >= 1)
            }
        }
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) { gateway in
            let key = try await gateway.store.keys.create(name: "phone").secret
            try await gateway.waitForKeys()
            for (method, path) in Self.administration {
                gateway.fake.reset()
                let refused = try await gateway.request(
                    method, path, "{}", headers: [("Authorization", "Bearer \(key)")])
                #expect(refused.status == 403)
                if method != "HEAD" { #expect(refused.code == "missing_scope") }
                #expect(try await gateway.request(method, path, "{}").status == 401)
                #expect(gateway.fake.statistics.requests.isEmpty)
                let allowed = try await gateway.request(
                    method, path, "{}", headers: [("Authorization", "Bearer a-token-of-some-length")])
                #expect(allowed.status != 403)
                #expect(gateway.fake.statistics.requests[path] == 1)
            }
            let tags = try await gateway.request("GET", "/api/tags", headers: [("Authorization", "Bearer \(key)")])
            #expect(tags.status == 200)
            let anthropic = try await gateway.request("GET", "/v1/models", headers: [("X-Api-Key", key)])
            #expect(anthropic.status != 401)
        }
    }

    @Test func `keys, origins and headers of one hop stay here, the rest goes on`() async throws {
        try await LiveGateway.with { gateway in
            let body = #"{"model":"llama3.2","prompt":"x","stream":false}"#
            let client = try RawClient(port: gateway.port)
            try client.send(
                "POST /api/generate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nX-Api-Key: y\r\n"
                    + "Origin: http://localhost:3000\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
                    + "TE: trailers\r\nProxy-Authorization: z\r\nUser-Agent: ollama-python/0.6\r\nX-Custom: ü\r\n"
                    + "Accept-Encoding: gzip\r\nX-Empty:\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(await client.readAll().hasPrefix("HTTP/1.1 200"))
            client.close()
            let seen = gateway.fake.statistics.lastHeaders
            #expect(
                seen == [
                    "host": "127.0.0.1:\(gateway.fake.port)", "user-agent": "ollama-python/0.6", "x-custom": "ü",
                    "accept-encoding": "gzip", "x-empty": "", "content-type": "application/json",
                    "content-length": "\(body.utf8.count)",
                ])
            #expect(gateway.fake.statistics.lastBody == body)
        }
    }

    @Test(.slow) func `the gateway's own errors have the shape that the client's library reads`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) { gateway in
            let native = try await gateway.request("GET", "/api/tags")
            #expect(native.status == 401)
            #expect(native.code == "unauthorized")
            #expect(native.head["www-authenticate"]?.hasPrefix("Bearer") == true)
            #expect(native.head["x-request-id"]?.isEmpty == false)
            let openAI = try await gateway.request("GET", "/v1/models")
            #expect(openAI.status == 401)
            let error = try #require(openAI.object["error"] as? [String: Any])
            #expect(Set(error.keys) == ["message", "type", "param", "code"])
            #expect(error["type"] as? String == "authentication_error")
            #expect(error["code"] as? String == "unauthorized")
        }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:9"]) { gateway in
            let native = try await gateway.post("/api/chat", "{}")
            #expect(native.status == 502)
            #expect(native.code == "upstream_refused")
            let openAI = try await gateway.post("/v1/chat/completions", "{}")
            #expect(openAI.status == 502)
            #expect((openAI.object["error"] as? [String: Any])?["code"] as? String == "upstream_refused")
        }
        try await LiveGateway.with(settings: ["first_byte_timeout": "0.3"]) { gateway in
            gateway.fake.setFaults(["stall-first=30"])
            let late = try await gateway.request("GET", "/api/tags")
            #expect(late.code == "upstream_first_byte_timeout")
        }
        try await LiveGateway.with { gateway in
            gateway.fake.setFaults(["drop"])
            let cut = try await gateway.request("GET", "/api/ps")
            #expect(cut.code == "upstream_cut")
        }
    }

    @Test func `without keys a foreign page or host gets nothing of Ollama either`() async throws {
        try await LiveGateway.with { gateway in
            for (name, value) in [("Origin", "https://evil.example"), ("Host", "evil.example:5678")] {
                let reply = try await gateway.request("GET", "/api/tags", headers: [(name, value)])
                #expect(reply.status == 403)
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }
}
