import ArgumentParser
import Foundation
import Gateway
import Inference
import LLM
import Logging
import Machine
import Retrieval
import Server
import ServiceLifecycle
import Transport
import UnixSignals
import Web

/// `selene serve`: runs the gateway.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve generation, embeddings and retrieval over HTTP.",
        discussion: """
            Listens on 127.0.0.1:5678 by default; `selene` alone does the same. It listens on other addresses only if \
            SELENE_API_TOKEN has at least 16 characters or a key exists (selene keys create NAME).

            A changed configuration file or certificate is applied within about a second, or at once after SIGHUP.
            On SIGTERM or Ctrl-C the gateway accepts no new requests, waits up to SELENE_DRAIN_TIMEOUT seconds \
            (default 30) for open ones, and stops.

              selene serve
              SELENE_API_TOKEN=… selene serve --host 0.0.0.0
              curl localhost:5678/health
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Address to listen on (SELENE_HOST; default 127.0.0.1).")
    var host: String?

    @Option(help: "Port to listen on; 0 picks a free one (SELENE_PORT; default 5678).")
    var port: Int?

    @Option(help: "Model for generation (SELENE_GENERATE_MODEL; default llama3.2).")
    var generateModel: String?

    @Option(help: "Model for embeddings (SELENE_EMBED_MODEL; default nomic-embed-text).")
    var embedModel: String?

    func run() async throws {
        let flags = [
            "host": host, "port": port.map(String.init), "generate_model": generateModel, "embed_model": embedModel,
        ]
        let load: @Sendable (Data?) throws -> GatewayConfiguration = { [options] text in
            Self.quiet(try options.read(flags, text: text))
        }
        let configuration = Self.quiet(try options.load(flags))
        if CommandLine.arguments.count == 1, let running = CommandTarget.localAccess(configuration.databasePath) {
            return Terminal.note("selene: a gateway runs already: open \(running.address) in a browser")
        }
        do {
            try await Self.serve(
                configuration, onListening: { Self.invite(to: configuration, port: $0) }, reload: load)
        } catch {
            throw Failure.exit(for: error)
        }
    }

    /// On a terminal nobody waits for a log, unless somebody chose a level.
    private static func quiet(_ configuration: GatewayConfiguration) -> GatewayConfiguration {
        var configuration = configuration
        if Terminal.isInteractive { configuration.server.logLevel = configuration.commandLogLevel }
        return configuration
    }

    /// Says on a terminal where the pages are.
    private static func invite(to configuration: GatewayConfiguration, port: Int) {
        guard Terminal.isInteractive else { return }
        let server = configuration.server
        let address = LocalAccessRecord.address(server.host, port: port, isEncrypted: server.tls != nil)
        Terminal.note(
            configuration.web.isOn
                ? "Selene Gateway: open \(address) in a browser. Ctrl-C stops it; selene --help lists the commands."
                : "Selene Gateway listens at \(address). Ctrl-C stops it.")
    }

    /// Serves until a signal. Calls `onListening` once, with the port.
    static func serve(
        _ configuration: GatewayConfiguration, onListening: @escaping @Sendable (Int) async -> Void = { _ in },
        reload: (@Sendable (Data?) throws -> GatewayConfiguration)? = nil
    ) async throws {
        let log = LogOutput(format: configuration.server.logFormat, level: configuration.server.logLevel)
        do {
            try await serve(configuration, log: log, reload: reload, onListening: onListening)
            await log.flush(within: .seconds(1))
        } catch {
            await log.flush(within: .seconds(1))
            throw error
        }
    }

    private static func serve(
        _ configuration: GatewayConfiguration, log: LogOutput,
        reload: (@Sendable (Data?) throws -> GatewayConfiguration)?,
        onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let logger = log.logger()
        try DescriptorCheck.check(configuration.server)
        let application = try GatewayApplication(
            configuration: configuration, logger: logger, log: log,
            onListening: { port in
                logger.notice(
                    "listening",
                    metadata: [
                        "address":
                            "\(configuration.server.tls == nil ? "http" : "https")://\(configuration.server.host):\(port)",
                        "ollama": "\(configuration.llm.upstreams.map(\.upstream.baseURL).joined(separator: ", "))",
                        "database": "\(configuration.databasePath)", "blas": "\(BLAS.description)",
                    ])
                await onListening(port)
            },
            reload: reload, examine: DoctorCommand.findings)
        for sentence in configuration.unknownVariables { logger.warning("\(sentence)") }
        if configuration.server.apiToken.map({ $0.utf8.count < 16 }) ?? false {
            logger.warning("SELENE_API_TOKEN is shorter than 16 characters and could be guessed")
        }
        try await application.checkExposure()
        var group = ServiceGroupConfiguration(
            services: [.init(service: application)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.server.drainTimeout
        let hangups = Task {
            guard reload != nil else { return }
            for await _ in await UnixSignalsSequence(trapping: .sighup) { await application.reloadConfiguration() }
        }
        defer { hangups.cancel() }
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as ServiceGroupError {
            // After the drain timeout the service group cancels open requests; this is expected.
            logger.warning("open requests were cut after the drain timeout", metadata: ["error": "\(error)"])
        } catch is CancellationError {
            logger.warning("open requests were cut after the drain timeout")
        }
        logger.notice("stopped")
    }
}
