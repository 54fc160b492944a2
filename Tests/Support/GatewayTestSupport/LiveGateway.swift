package import Backfill
package import Certificates
package import FakeOllama
package import Foundation
package import Gateway
import Inference
import Logging
import NIOCore
import Server
import ServiceLifecycle
package import Storage
import StoreTestSupport
import TestSupport
package import Transport

/// A gateway that listens, with a synthetic Ollama behind it and a database of its own.
package final class LiveGateway: Sendable {
    package let fake: FakeOllama
    package let application: GatewayApplication
    package let port: Int
    package let client: UpstreamTransport
    /// The authority of the gateway's certificate; nil without TLS.
    package let authority: LocalAuthority?
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// The folder of the database and of `config.json`.
    package var folder: URL { URL(filePath: application.configuration.databasePath).deletingLastPathComponent() }
    package var base: String { "\(authority == nil ? "http" : "https")://127.0.0.1:\(port)" }
    package var database: GatewayDatabase { application.database }
    package var store: any GatewayStore { application.store }

    private init(
        fake: FakeOllama, application: GatewayApplication, port: Int, group: ServiceGroup,
        running: Task<Void, any Error>, encryption: Encryption
    ) throws {
        self.fake = fake
        self.application = application
        self.port = port
        self.group = group
        self.running = running
        authority = encryption.authority
        var configuration = try encryption.client(port: port)
        configuration.maxIdleConnections = 8
        client = try UpstreamTransport(configuration: configuration)
    }

    package static func start(
        folder: URL, _ options: FakeOllama.Options, settings: [String: String], encryption: Encryption = .usual
    ) async throws -> LiveGateway {
        let encryption = try encryption.prepared(in: folder)
        let fake = try await FakeOllama.start(options)
        var flags = [
            "port": "0", "database": folder.appending(path: "n.sqlite").path, "ollama_host": fake.baseURL,
            "log_level": "critical", "backfill": "off", "workflows": "off", "memories": "off",
            "chat_prefill": "off",
        ]
        flags.merge(encryption.settings) { $1 }
        if let server = try await NotesPlace.server(of: folder) { flags["store"] = server }
        flags.merge(settings) { $1 }
        // A file in the folder is the gateway's own, and may change while it runs.
        let file = folder.appending(path: "config.json").path
        let load: @Sendable (Data?) throws -> GatewayConfiguration = { [flags] text in
            try GatewayConfiguration.load(
                flags: flags, environment: ["HOME": folder.path],
                file: FileManager.default.fileExists(atPath: file) ? file : nil, text: text)
        }
        let configuration = try load(nil)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, listening) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let application = try GatewayApplication(
            configuration: configuration, logger: logger,
            onListening: { port in
                listening.yield(port)
                listening.finish()
            },
            reload: load)
        var group = ServiceGroupConfiguration(services: [.init(service: application)], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.server.drainTimeout
        let services = ServiceGroup(configuration: group)
        let running = Task {
            defer { listening.finish() }
            try await services.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return try LiveGateway(
            fake: fake, application: application, port: port, group: services, running: running, encryption: encryption)
    }

    /// Runs a test with a gateway and takes everything down afterwards.
    package static func with(
        _ options: FakeOllama.Options = .init(), settings: [String: String] = [:], files: [String: String] = [:],
        encryption: Encryption = .usual, _ body: (LiveGateway) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-live-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let gateway = try await start(folder: folder, options, settings: settings, encryption: encryption)
        do {
            try await body(gateway)
        } catch {
            await gateway.stop()
            throw error
        }
        await gateway.stop()
    }

    /// Stops as SIGTERM does.
    package func stop() async {
        await client.shutdown(within: .zero)
        await shutDown()
        await fake.shutdown()
    }

    /// Graceful shutdown alone.
    package func shutDown() async {
        await group.triggerGracefulShutdown()
        _ = await running.result
    }

    // MARK: Requests

    /// A reply that was read whole.
    package struct Reply {
        package var status: Int
        package var head: UpstreamResponseHead
        package var data: Data

        package init(status: Int, head: UpstreamResponseHead, data: Data) {
            (self.status, self.head, self.data) = (status, head, data)
        }

        package var text: String { String(decoding: data, as: UTF8.self) }
        package var object: [String: Any] {
            ((try? JSONSerialization.jsonObject(with: data)) as? [String: Any]) ?? [:]
        }
        package var code: String { object["code"] as? String ?? "" }
        package var error: String { object["error"] as? String ?? "" }
        package var ids: [Int] { (object["results"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int } }
    }

    package func open(
        _ method: String, _ path: String, _ body: String? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> UpstreamResponse {
        try await client.send(
            UpstreamRequest(
                method: method, path: path, headers: headers, body: body.map { ByteBuffer(string: $0) }))
    }

    package func request(
        _ method: String, _ path: String, _ body: String? = nil, headers: [(name: String, value: String)] = []
    ) async throws -> Reply {
        let response = try await open(method, path, body, headers: headers)
        let data = try await response.body.collect(upTo: 64 << 20)
        return Reply(status: response.status, head: response.head, data: Data(data.readableBytesView))
    }

    package func post(_ path: String, _ body: String, token: String? = nil) async throws -> Reply {
        try await request(
            "POST", path, body, headers: token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    /// Embeds everything that is pending.
    package func backfill(model: String = "nomic-embed-text") async throws {
        try await Self.backfill(backfillStore, at: fake.baseURL, model: model)
    }

    /// Embeds everything that is pending in a database.
    package static func backfill(
        _ store: any BackfillStore, at url: String, model: String = "nomic-embed-text"
    ) async throws {
        let transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: url))
        _ = try await BackfillService(
            database: store, upstream: OllamaUpstream(transport: transport),
            options: BackfillOptions(model: model),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ).run { _ in }
        await transport.shutdown(within: .seconds(1))
    }
}
