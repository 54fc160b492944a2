import FakeOllama
import Foundation
import Gateway
import GatewayAPI
import GatewayClient
import Logging
import ServiceLifecycle
import Storage

/// A gateway that listens on a socket, a synthetic Ollama behind it, and the client's two services in front.
struct ClientSetting: Sendable {
    let fake: FakeOllama
    let port: Int
    let data: RemoteDataService
    let llm: RemoteOllamaService
    let database: GatewayDatabase
    /// Where the gateway exports to.
    let exports: URL

    var address: String { "http://127.0.0.1:\(port)" }

    /// A connection with other terms.
    func connection(
        token: String? = nil, timeouts: GatewayConnection.Timeouts = .init(), retry: RetryPolicy = .never
    ) throws -> GatewayConnection {
        try GatewayConnection(address, tokens: StaticTokenStore(token), timeouts: timeouts, retry: retry)
    }

    /// Runs a test with all of it and takes it down afterwards.
    static func with(
        _ options: FakeOllama.Options = .init(), settings: [String: String] = [:], token: String? = nil,
        _ body: (ClientSetting) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let exports = folder.appending(path: "exports")
        try FileManager.default.createDirectory(at: exports, withIntermediateDirectories: true)
        let fake = try await FakeOllama.start(options)
        let flags = [
            "port": "0", "database": folder.appending(path: "n.sqlite").path, "ollama_host": fake.baseURL,
            "log_level": "critical", "export": exports.path,
        ].merging(settings) { $1 }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, listening) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let application = try GatewayApplication(
            configuration: try GatewayConfiguration.load(flags: flags, environment: [:]), logger: logger
        ) { port in
            listening.yield(port)
            listening.finish()
        }
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        let running = Task {
            defer { listening.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        let connection = try GatewayConnection("127.0.0.1:\(port)", tokens: StaticTokenStore(token))
        let setting = ClientSetting(
            fake: fake, port: port, data: RemoteDataService(connection), llm: RemoteOllamaService(connection),
            database: application.database, exports: exports)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(setting))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        _ = await running.result
        await fake.shutdown()
        try result.get()
    }
}

/// The error that a call throws; nil when it throws none, or another one.
func clientError(_ call: () async throws -> Void) async -> GatewayClientError? {
    do {
        try await call()
        return nil
    } catch {
        return error as? GatewayClientError
    }
}
