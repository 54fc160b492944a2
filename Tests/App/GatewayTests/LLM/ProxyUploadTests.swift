import Cryptography
import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// Bodies that are sent on while they come.
@Suite(.serialized) struct ProxyUploads {
    static let size = 50 << 20
    static let bytes: [UInt8] = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 13) }

    private func head(_ framing: String) -> String {
        "POST /api/blobs/sha256:00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(framing)\r\n\r\n"
    }

    @Test(.slow) func `an upload of 50 MB arrives byte for byte, and waits for an upstream that does not read`()
        async throws
    {
        // Made before the request begins: a body that does not come is refused.
        let bytes = Self.bytes
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            server.setReads(false)
            let client = try RawClient(port: gateway.port)
            try client.send(head("Content-Length: \(Self.size)"))
            let sent = Counter()
            client.sendInBackground(bytes) { sent.add($0) }
            // What is on its way stops at the sockets' buffers and the gateway's watermark.
            #expect(await eventually { sent.value > 0 })
            let before = await valueAtRest { sent.value }
            #expect(before < Self.size / 2)
            server.setReads(true)
            #expect(await eventually(within: .seconds(60)) { server.received.count > Self.size })
            let received = server.received
            let start = try #require(received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
            let head = String(decoding: received[..<start], as: UTF8.self)
            #expect(head.hasPrefix("POST /api/blobs/sha256:00 HTTP/1.1\r\n"))
            #expect(head.contains("Content-Length: \(Self.size)\r\n"))
            #expect(await server.waitUntil { $0.received.count == start + Self.size })
            #expect(SHA256.hash(data: server.received[start...]) == SHA256.hash(data: bytes))
            server.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            #expect(await client.readAll().hasPrefix("HTTP/1.1 201 Created\r\n"))
            client.close()
        }
    }

    @Test func `a chunked upload goes on chunked`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let client = try RawClient(port: gateway.port)
            let part = String(repeating: "0123456789abcdef", count: 16 << 10)
            let chunk = String(part.utf8.count, radix: 16) + "\r\n" + part + "\r\n"
            try client.send(head("Transfer-Encoding: chunked") + chunk)
            // It is on its way before it has ended.
            #expect(await server.waitUntil { $0.received.count > part.utf8.count / 2 })
            try client.send(chunk + "0\r\n\r\n")
            #expect(await server.waitUntil { $0.received.suffix(5) == Array("0\r\n\r\n".utf8)[...] })
            let text = String(decoding: server.received, as: UTF8.self)
            #expect(text.contains("Transfer-Encoding: chunked\r\n"))
            #expect(text.utf8.count { $0 == UInt8(ascii: "e") } >= 2 * (16 << 10))
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(await client.readAll().hasSuffix("\r\n\r\nok"))
            client.close()
        }
    }

    @Test func `a client that leaves in mid-upload is gone upstream`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            for attempt in 1...3 {
                let before = server.received.count
                let client = try RawClient(port: gateway.port)
                try client.send(
                    head("Content-Length: \(Self.size)") + String(repeating: "x", count: 1 << 20))
                #expect(await server.waitUntil { $0.received.count > before + (1 << 20) })
                client.close()
                #expect(await server.waitUntil { $0.closed == attempt })
            }
        }
    }

    @Test func `an upstream that answers before it has read everything is heard`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let client = try RawClient(port: gateway.port)
            try client.send(head("Content-Length: 4000000") + String(repeating: "x", count: 1 << 20))
            #expect(await server.waitUntil { $0.received.count > 1 << 19 })
            server.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 15\r\n\r\n{\"error\":\"bad\"}")
            let reply = await client.readThrough("bad\"}")
            #expect(reply.hasPrefix("HTTP/1.1 400"))
            client.close()
        }
    }
}
