import ArgumentParser
import Gateway

/// The command line of the gateway.
@main
struct Selene: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selene",
        abstract: "A self-hosted Ollama proxy and retrieval gateway over your notes.",
        discussion: """
            Start here:

              selene demo                      see everything work on sample notes
              selene ingest ~/notes            store a folder of Markdown
              selene backfill                  embed what is new, with Ollama
              selene search "tide tables"      find notes by meaning and by word
              selene eval collections/x        measure how good that is
              selene serve                     answer over HTTP on 127.0.0.1:5678
              selene chat                      talk with your notes through a gateway

            Exit codes: 0 done, 1 failed, 2 done in part, 64 wrong usage or configuration, 75 the \
            address to listen on is not there yet, 130 interrupted.
            """,
        version: GatewayVersion.current,
        subcommands: [
            ServeCommand.self, IngestCommand.self, BackfillCommand.self, SearchCommand.self, IndexCommand.self,
            SpacesCommand.self,
            EvalCommand.self, KeysCommand.self, ChatCommand.self,
            ConfigCommand.self, ServiceCommand.self, DemoCommand.self,
        ])
}
