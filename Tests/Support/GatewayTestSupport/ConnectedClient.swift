package import FakeOllama
package import Foundation
import GatewayAPI
package import GatewayClient
package import Storage

/// A gateway that listens, a synthetic Ollama behind it, and the client library's two services in front.
package struct ConnectedClient: Sendable {
    package let gateway: LiveGateway
    package let data: RemoteDataService
    package let llm: RemoteOllamaService
    /// Where the gateway exports to.
    package let exports: URL

    package var fake: FakeOllama { gateway.fake }
    package var port: Int { gateway.port }
    package var database: GatewayDatabase { gateway.database }
    package var address: String { gateway.base }

    /// A connection with other terms.
    package func connection(
        token: String? = nil, timeouts: GatewayConnection.Timeouts = .init(), retry: RetryPolicy = .never
    ) throws -> GatewayConnection {
        try GatewayConnection(address, tokens: StaticTokenStore(token), timeouts: timeouts, retry: retry)
    }

    /// Runs a test with all of it and takes it down afterwards.
    package static func with(
        _ options: FakeOllama.Options = .init(), settings: [String: String] = [:], token: String? = nil,
        _ body: (ConnectedClient) async throws -> Void
    ) async throws {
        let exports = FileManager.default.temporaryDirectory.appending(path: "selene-exports-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: exports) }
        let own = ["export": exports.path, "backfill": "auto"]
        try await LiveGateway.with(options, settings: own.merging(settings) { $1 }) { gateway in
            let connection = try GatewayConnection("127.0.0.1:\(gateway.port)", tokens: StaticTokenStore(token))
            try await body(
                ConnectedClient(
                    gateway: gateway, data: RemoteDataService(connection), llm: RemoteOllamaService(connection),
                    exports: exports))
        }
    }
}
