import Foundation
import GatewayAPI
import MCP
import NIOCore
import Synchronization
import Transport

/// Passes the messages of a client on to a running gateway.
final class GatewayPeer: StdioPeer {
    /// The maximum size of a reply in bytes.
    private static let maxReplyBytes = 16 << 20

    private let transport: UpstreamTransport
    private let key: String?
    /// The revision that `initialize` agreed on, which later requests name in a header.
    private let agreed = Mutex<String?>(nil)

    /// - Parameters:
    ///   - url: The gateway's address, with or without `/mcp`.
    ///   - key: The key of the gateway; nil for a gateway without keys.
    /// - Throws: ``UpstreamError`` for an address that cannot be used.
    init(url: String, key: String?) throws {
        var address = CommandTarget.base(url)
        if address.hasSuffix("/mcp") { address.removeLast("/mcp".count) }
        var configuration = UpstreamConfiguration(baseURL: address, peer: "the gateway")
        // A subscription is quiet for up to 15 seconds.
        configuration.idleTimeout = .seconds(60)
        transport = try UpstreamTransport(configuration: configuration)
        self.key = key
    }

    func close() async { await transport.shutdown(within: .milliseconds(200)) }

    func handle(_ message: RPCMessage, _ bytes: [UInt8], write: @escaping @Sendable ([UInt8]) -> Void) async {
        guard case .request(let request) = message else { return }
        do {
            let response = try await transport.send(
                UpstreamRequest(
                    method: "POST", path: "/mcp", headers: headers(of: request), body: ByteBuffer(bytes: bytes)))
            if response.head["Content-Type"]?.hasPrefix("text/event-stream") == true {
                return try await follow(response, write)
            }
            let body = try await response.body.collect(upTo: Self.maxReplyBytes)
            let reply = [UInt8](body.readableBytesView)
            guard case .object(let members)? = (try? JSONDocument(parsing: reply))?.value, members["jsonrpc"] != nil
            else {
                let error = RPCError(.internal, Self.reason(reply, status: response.status))
                return write(RPCReply.error(error, to: request.id))
            }
            if request.method == "initialize", case .object(let result)? = members["result"],
                case .string(let version)? = result["protocolVersion"]
            {
                agreed.withLock { $0 = version }
            }
            if !Task.isCancelled { write(reply) }
        } catch {
            guard !Task.isCancelled else { return }
            let text = (error as? UpstreamError)?.message ?? "\(error)"
            write(RPCReply.error(RPCError(.internal, text), to: request.id))
        }
    }

    private func headers(of request: RPCRequest) -> [(name: String, value: String)] {
        var headers = [
            (name: "Content-Type", value: "application/json"),
            (name: "Accept", value: "application/json, text/event-stream"),
        ]
        if let key { headers.append(("Authorization", "Bearer \(key)")) }
        guard case .object(let meta)? = request.params["_meta"],
            case .string(let version)? = meta[MCPEnvelope.versionKey]
        else {
            if let agreed = agreed.withLock({ $0 }), request.method != "initialize" {
                headers.append(("MCP-Protocol-Version", agreed))
            }
            return headers
        }
        headers.append(("MCP-Protocol-Version", MCPHeaders.encoded(version)))
        headers.append(("Mcp-Method", MCPHeaders.encoded(request.method)))
        if let parameter = MCPHeaders.named[request.method], case .string(let name)? = request.params[parameter] {
            headers.append(("Mcp-Name", MCPHeaders.encoded(name)))
        }
        return headers
    }

    /// Writes each event of a stream as a line.
    private func follow(_ response: UpstreamResponse, _ write: @Sendable ([UInt8]) -> Void) async throws {
        var rest: [UInt8] = []
        for try await piece in response.body {
            rest += piece.readableBytesView
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = rest[..<end]
                if line.starts(with: "data: ".utf8) { write(Array(line.dropFirst(6))) }
                rest.removeSubrange(...end)
            }
            guard rest.count <= MCPServer.maxMessageBytes else { return }
        }
    }

    /// The text of an error reply that is not JSON-RPC.
    private static func reason(_ reply: [UInt8], status: Int) -> String {
        guard case .object(let members)? = (try? JSONDocument(parsing: reply))?.value,
            case .string(let text)? = members["error"]
        else { return "the gateway answered with HTTP status \(status)" }
        return "\(text) (HTTP status \(status))"
    }
}
