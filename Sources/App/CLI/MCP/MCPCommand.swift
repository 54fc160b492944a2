import ArgumentParser
import Foundation
import Gateway
import GatewayClient
import MCP
import Search
import Server
import ServiceLifecycle
import Storage
import Transport

/// `selene mcp`: serves assistants over standard input and output.
struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve the notes to an assistant over standard input and output (MCP).",
        discussion: """
            An assistant that speaks the Model Context Protocol starts this command and sends a JSON message a line. It finds, \
            reads, captures and changes notes with tools, reads them as resources, and uses the prompts of the library. \
            Without --url the command opens the database file itself; no gateway has to run.

              selene mcp config claude                      print the settings for Claude; also cursor, vscode, codex
              selene mcp                                    on the database file of this machine
              selene mcp --url http://127.0.0.1:5678        through a running gateway, with the key of SELENE_KEY
              SELENE_MCP_DELETE=on selene mcp               let the assistant delete notes

            Private notes (SELENE_PRIVATE) and books stay hidden unless SELENE_MCP_PRIVATE=on: the assistant's model may be \
            on another machine. Assistants that speak HTTP need no command: they connect to http://…:5678/mcp with a key.

            Messages of revision 2026-07-28 and of 2024-11-05 to 2025-11-25 are answered. Standard error has the log. The \
            command ends with the end of its input.

            Exit codes: 0 the input ended, 1 failed, 64 wrong usage or configuration, 65 the data is damaged.
            """,
        subcommands: [Serve.self, MCPConfigCommand.self], defaultSubcommand: Serve.self)

    /// `selene mcp serve`, the default.
    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Serve standard input and output (the default).")

        /// The time before the index follows the database and keeps its file.
        private static let headStart = Duration.seconds(1)

        @OptionGroup var configuration: ConfigurationOptions

        @Option(help: "Address of a running gateway (SELENE_URL); without one, the database file is opened.")
        var url: String?

        func run() async throws {
            do {
                if let url = url ?? ProcessInfo.processInfo.environment["SELENE_URL"], !url.isEmpty {
                    try await bridge(to: url)
                } else {
                    try await serveFile(try configuration.load())
                }
            } catch {
                throw Failure.exit(for: error)
            }
        }

        private func serveFile(_ configuration: GatewayConfiguration) async throws {
            let services = try SearchServices(
                configuration, logger: CommandContext.logger(configuration.commandLogLevel))
            let following = Task { [upkeep = services.retrieval.upkeep] in
                // The first answers come before the index takes the processor.
                try await Task.sleep(for: Self.headStart)
                try await withThrowingDiscardingTaskGroup { group in
                    for service in upkeep { group.addTask { try await service.run() } }
                }
            }
            let result: Result<Void, any Error>
            do {
                let (server, caller) = try services.mcp(configuration)
                let peer = LocalPeer(server: server, caller: caller) { error in
                    switch error {
                    case let error as StorageError: error.message
                    case let error as UpstreamError: error.message
                    default: "\(error)"
                    }
                }
                result = .success(await StandardStreams.serve(peer))
            } catch {
                result = .failure(error)
            }
            following.cancel()
            _ = await following.result
            await services.close(within: .milliseconds(200))
            try result.get()
        }

        private func bridge(to url: String) async throws {
            let key = try await CommandTarget.gateway(url).tokens.token()
            let peer = try GatewayPeer(url: url, key: key)
            await StandardStreams.serve(peer)
            await peer.close()
        }
    }
}
