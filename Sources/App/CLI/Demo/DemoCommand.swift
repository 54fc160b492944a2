import ArgumentParser
import Backfill
import Foundation
import Gateway
import GatewayAPI
import Inference
import Ingest
import LLM
import Logging
import Prompts
import Server
import ServiceLifecycle
import Storage
import Text
import UnixSignals

/// `selene demo`: runs ingest, backfill, retrieval and a streamed answer on sample notes, and asks a book.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the gateway at work: sample notes, backfill, retrieval, a streamed answer, a book.",
        discussion: """
            Runs in a temporary directory, which it deletes at the end. Uses the Ollama at OLLAMA_HOST if it answers \
            and has an embedding model. Otherwise it says so and uses fake-ollama, a synthetic Ollama beside this \
            binary.

              selene demo
              selene demo --once
            """)

    @Flag(help: "Exit after the answer (default: serve until Ctrl-C).")
    var once = false

    @Option(help: "Port of the gateway; 0 picks a free one.")
    var port = 0

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "selene-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        do {
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let configured = try options.load()
            let stand = try await DemoUpstream.open(configured)
            defer { stand.close() }
            let configuration = try options.load([
                "database": scratch.appending(path: "demo.sqlite").path, "port": String(port), "host": "127.0.0.1",
                "ollama_host": stand.baseURL, "embed_model": stand.embedModel, "generate_model": stand.generateModel,
                "log_level": options.logLevel ?? "warning",
            ])
            Terminal.line(Terminal.bold("1. Ollama: ") + stand.description)
            try await prepare(configuration)
            try await serve(configuration, upstreamIsSynthetic: stand.isSynthetic)
        } catch {
            throw Failure.exit(for: error)
        }
    }

    private func prepare(_ configuration: GatewayConfiguration) async throws {
        Terminal.line(Terminal.bold("2. Sample notes into ") + configuration.databasePath)
        let samples = URL(filePath: configuration.databasePath).deletingLastPathComponent().appending(path: "notes")
        try DemoSamples.writeNotes(to: samples)
        try await CommandContext.run(configuration) { context in
            let summary = try await IngestCommand.ingest(samples.path, format: .jsonl, into: context)
            Terminal.line("   \(Count.of(summary.inserted, "note")) stored")
            Terminal.line(Terminal.bold("3. Backfill with ") + context.configuration.llm.embedModel)
            let backfill = try await BackfillCommand.backfill(
                context, options: BackfillOptions(model: context.configuration.llm.embedModel, batch: 16))
            Terminal.line("   \(BackfillCommand.text(backfill))")
        }
    }

    private func serve(_ configuration: GatewayConfiguration, upstreamIsSynthetic: Bool) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let log = LogOutput(format: configuration.server.logFormat, level: configuration.server.logLevel)
        let logger = log.logger()
        let application = try GatewayApplication(configuration: configuration, logger: logger, log: log) { port in
            listening.yield(port)
            listening.finish()
        }
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: application)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        let once = once
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { listening.finish() }
                try await group.run()
            }
            tasks.addTask {
                guard let port = await ports.first(where: { _ in true }) else { return }
                let client = try DemoClient(port: port)
                do {
                    try await DemoScript(client: client, upstreamIsSynthetic: upstreamIsSynthetic).run()
                } catch {
                    await client.close()
                    await group.triggerGracefulShutdown()
                    throw error
                }
                await client.close()
                if once {
                    await group.triggerGracefulShutdown()
                } else {
                    DemoScript.printInvitation(port: port)
                }
            }
            while try await tasks.next() != nil {}
        }
    }
}
