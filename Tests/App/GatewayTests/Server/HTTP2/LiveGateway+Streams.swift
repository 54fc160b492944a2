import GatewayTestSupport

extension LiveGateway {
    /// Lets the client's connection of HTTP/2 carry several requests: a new one carries a single request until that one
    /// is answered.
    func warmConnection() async throws { _ = try await request("GET", "/health") }

    /// Sends the resets of streams that were cancelled. libcurl 7.88 keeps them until the next request of the connection.
    func sendResets() async throws { _ = try await request("GET", "/health") }
}
