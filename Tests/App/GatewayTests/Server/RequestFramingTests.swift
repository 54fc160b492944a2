import GatewayTestSupport
import TestSupport
import Testing

/// Hosts and versions of HTTP/1.
@Suite(.serialized) struct RequestFramingRules {
    @Test func `a request names its host once`() async throws {
        try await LiveGateway.with { gateway in
            for head in [
                "GET /health HTTP/1.1\r\n\r\n", "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                "GET /api/version HTTP/1.1\r\nhost: localhost\r\nHOST: evil.example\r\n\r\n",
                "GET /health HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
            ] {
                let client = try RawClient(port: gateway.port)
                try client.send(head)
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.1 400") || reply.hasPrefix("HTTP/1.0 400"), "\(head) \(reply)")
                #expect(reply.contains(#""code":"malformed_request""#), "\(head) \(reply)")
                client.close()
            }
        }
    }

    @Test func `a client of the former version gets no chunks, and the end of its connection`() async throws {
        try await LiveGateway.with { gateway in
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":3}}"#
            for (request, word) in [
                ("GET /health HTTP/1.0\r\n\r\n", "status"), ("GET /api/version HTTP/1.0\r\n\r\n", "version"),
                ("POST /api/generate HTTP/1.0\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", "\"done\":true"),
                ("GET /metrics HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "selene_uptime_seconds"),
            ] {
                let client = try RawClient(port: gateway.port)
                try client.send(request)
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.0 200"), "\(request) \(reply)")
                #expect(!reply.lowercased().contains("transfer-encoding"), "\(reply)")
                #expect(reply.contains(word) && !reply.hasSuffix("0\r\n\r\n"), "\(reply)")
                client.close()
            }
            let head = try RawClient(port: gateway.port)
            try head.send("HEAD /api/version HTTP/1.0\r\n\r\n")
            #expect(await head.readAll().hasPrefix("HTTP/1.0 200"))
            head.close()
        }
    }
}
