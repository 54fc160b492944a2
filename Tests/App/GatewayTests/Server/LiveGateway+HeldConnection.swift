import GatewayTestSupport
import TestSupport
import Testing

extension LiveGateway {
    /// A connection that has shown a valid key and now waits for its next request.
    func holdConnection(token: String) async throws -> RawClient {
        let client = try RawClient(port: port)
        try client.send("GET /api/version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n")
        let reply = await client.readThrough("}")
        #expect(reply.hasPrefix("HTTP/1.1 200 "), "\(reply)")
        return client
    }
}
