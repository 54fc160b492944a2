import Foundation
import TestSupport
import Testing

@testable import GatewayClient

@Suite struct EventBuffers {
    private func events(_ pieces: [[UInt8]], maxBytes: Int = 1000) throws -> [ServerSentEvent] {
        var buffer = EventBuffer(maxBytes: maxBytes)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            try buffer.append(Data(piece))
            while let event = buffer.next() { events.append(event) }
        }
        return events
    }

    private func event(_ id: String?, _ name: String, _ data: String) -> ServerSentEvent {
        ServerSentEvent(id: id, name: name, data: Array(data.utf8))
    }

    @Test func `fields are read as the standard defines them`() throws {
        let text =
            "\u{FEFF}id: 1\nevent: delta\ndata: a\n\n: a comment\n\ndata:b\ndata: \ndata:  c\n\n"
            + "id\nevent: x\nretry: 5\n\nid: 2\0\ndata\n\nunknown: y\nevent:e\ndata: last\n\ndata: cut"
        let expected = [
            event("1", "delta", "a"), event("1", "message", "b\n\n c"), event("", "message", ""),
            event("", "e", "last"),
        ]
        #expect(try events([Array(text.utf8)]) == expected)
    }

    @Test func `bytes may be cut anywhere, and lines end in three ways`() throws {
        let lines = ["id: 7", "event: é", "data: 潮", "data: x", "", "data: y", "", ""]
        for end in ["\n", "\r", "\r\n"] {
            let bytes = Array(lines.joined(separator: end).utf8)
            let expected = [event("7", "é", "潮\nx"), event("7", "message", "y")]
            #expect(try events(bytes.map { [$0] }) == expected)
            for cut in bytes.indices {
                #expect(try events([Array(bytes[..<cut]), [], Array(bytes[cut...])]) == expected)
            }
        }
    }

    @Test func `an event beyond the limit is an error, however its lines are`() throws {
        #expect(try events([Array("data: 1234\n\n".utf8)], maxBytes: 10).count == 1)
        for text in ["data: 12345\n\n", "data: 123\ndata: 45\n\n", String(repeating: ":", count: 11)] {
            let error = #expect(throws: GatewayClientError.self) { try events([Array(text.utf8)], maxBytes: 10) }
            #expect(error?.kind == .tooLarge)
        }
        // Comments and finished events do not count.
        let many = String(repeating: ": 1234567\ndata: 12\n\n", count: 100)
        #expect(try events([Array(many.utf8)], maxBytes: 10).count == 100)
    }
}
