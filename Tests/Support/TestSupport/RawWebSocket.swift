import Foundation

/// A WebSocket client that may also send what no correct client sends.
package final class RawWebSocket: Sendable {
    /// What came from the server.
    package enum Frame: Sendable, Equatable {
        case text(String)
        case close(code: Int, reason: String)
        case ping, pong
        /// The connection ended.
        case end
    }

    /// Bytes of a frame at most; a longer one counts as the end.
    private static let longest = 1 << 20

    private let client: RawClient
    /// The server's answer to the handshake.
    package let head: String

    /// Connects and asks for an upgrade with a fixed key.
    ///
    /// - Parameter headers: In place of those of a correct handshake.
    package init(port: Int, path: String, headers: [String]? = nil) async throws {
        client = try RawClient(port: port)
        let handshake =
            headers ?? [
                "Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ]
        let lines = ["GET \(path) HTTP/1.1", "Host: localhost"] + handshake
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        head = await client.readThrough("\r\n\r\n")
    }

    /// Sends a frame.
    ///
    /// - Parameter mask: nil for a frame without a mask.
    package func send(
        _ bytes: [UInt8], opcode: UInt8 = 1, isLast: Bool = true, mask: [UInt8]? = [1, 2, 3, 4], flags: UInt8 = 0
    ) throws {
        var frame: [UInt8] = [(isLast ? 0x80 : 0) | flags | opcode]
        let isMasked: UInt8 = mask == nil ? 0 : 0x80
        switch bytes.count {
        case ..<126: frame.append(isMasked | UInt8(bytes.count))
        case ..<65_536: frame += [isMasked | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        default: frame += [isMasked | 127] + (0..<8).reversed().map { UInt8(bytes.count >> ($0 * 8) & 0xFF) }
        }
        if let mask { frame += mask }
        frame += mask.map { mask in bytes.enumerated().map { $0.element ^ mask[$0.offset % 4] } } ?? bytes
        try client.send(frame)
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// The next frame of the server.
    package func next() async -> Frame {
        let head = await client.read(count: 2)
        guard head.count == 2 else { return .end }
        let length: Int
        switch head[1] & 0x7F {
        case 126: length = await client.read(count: 2).reduce(0) { $0 << 8 | Int($1) }
        case 127: length = await client.read(count: 8).reduce(0) { $0 << 8 | Int($1) }
        case let short: length = Int(short)
        }
        guard (0...Self.longest).contains(length) else { return .end }
        let bytes = length > 0 ? await client.read(count: length) : []
        guard bytes.count == length else { return .end }
        switch head[0] & 0xF {
        case 8:
            let code = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            return .close(code: code, reason: String(decoding: bytes.dropFirst(2), as: UTF8.self))
        case 9: return .ping
        case 10: return .pong
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// The next text as JSON; empty for other frames.
    package func json() async throws -> [String: Any] {
        guard case .text(let text) = await next() else { return [:] }
        return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
    }

    /// Closes the connection.
    package func close() { client.close() }
}
