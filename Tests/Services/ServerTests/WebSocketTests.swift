import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOWebSocket
import TestSupport
import Testing

@testable import Server

/// WebSockets without a network, with a clock of their own.
@Suite struct WebSockets {
    private static func with(_ body: (NIOAsyncTestingChannel) async throws -> Void) async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await channel.testingEventLoop.submit {
            let handler = WebSocketHandler { connection in for await _ in connection.messages {} }
            try channel.pipeline.syncOperations.addHandler(handler)
        }.get()
        try await body(channel)
        _ = try? await channel.finish(acceptAlreadyClosed: true)
    }

    private static func isOpen(_ channel: NIOAsyncTestingChannel) async throws -> Bool {
        try await channel.testingEventLoop.submit { channel.isActive }.get()
    }

    @Test func `a client is pinged every 30 seconds, and gone after a minute of silence`() async throws {
        try await Self.with { channel in
            let pong = WebSocketFrame(
                fin: true, opcode: .pong, maskKey: [1, 2, 3, 4], data: ByteBuffer())
            for _ in 0..<5 {
                await channel.testingEventLoop.advanceTime(by: .seconds(30))
                let ping = try #require(try await channel.readOutbound(as: WebSocketFrame.self))
                #expect(ping.opcode == .ping)
                try await channel.writeInbound(pong)
            }
            #expect(try await Self.isOpen(channel))
            await channel.testingEventLoop.advanceTime(by: .seconds(30))
            #expect(try await Self.isOpen(channel))
            await channel.testingEventLoop.advanceTime(by: .seconds(30))
            #expect(try await Self.isOpen(channel) == false)
        }
    }

    @Test func `a client that sends more than is read is disconnected`() async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let gate = AsyncStream<Void>.makeStream()
        try await channel.testingEventLoop.submit {
            let handler = WebSocketHandler { _ in for await _ in gate.stream {} }
            try channel.pipeline.syncOperations.addHandler(handler)
        }.get()
        for _ in 0...WebSocketConnection.maxWaiting {
            let frame = WebSocketFrame(
                fin: true, opcode: .text, maskKey: [1, 2, 3, 4], data: ByteBuffer(string: "{}"))
            try await channel.writeInbound(frame)
        }
        let close = try #require(try await channel.readOutbound(as: WebSocketFrame.self))
        var data = close.unmaskedData
        #expect(close.opcode == .connectionClose && data.readInteger(as: UInt16.self) == 1008)
        gate.continuation.finish()
        await channel.testingEventLoop.advanceTime(by: .seconds(2))
        #expect(try await Self.isOpen(channel) == false)
        _ = try? await channel.finish(acceptAlreadyClosed: true)
    }

    @Test(arguments: [
        ([("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade")], true),
        ([("Upgrade", "WebSocket"), ("Connection", "upgrade")], true),
        ([("Upgrade", "h2c"), ("Connection", "upgrade")], false),
        ([("Upgrade", "websocket"), ("Connection", "close")], false),
        ([("Connection", "upgrade")], false),
        (
            [("Upgrade", "websocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")],
            false
        ),
    ]) func `only a complete handshake is answered`(fields: [(String, String)], isValid: Bool) throws {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/ws")
        for (name, value) in fields + [
            ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ] {
            head.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        #expect(WebSocketUpgradeHandler.answer(to: head) == (isValid ? "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" : nil))
    }
}
