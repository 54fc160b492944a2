import ArgumentParser
import Foundation
import Storage

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
              selene backup notes.backup       copy the database while it is in use
              selene doctor                    look for what is wrong, and say what helps

            Exit codes: 0 done, 1 failed, 2 done in part, 64 wrong usage or configuration, 65 unusable data: a newer \
            version wrote the database, or it is damaged, 75 the address to listen on is not there yet, 130 interrupted.
            """,
        version: GatewayVersion.current,
        subcommands: [
            ServeCommand.self, IngestCommand.self, BackfillCommand.self, SearchCommand.self, IndexCommand.self,
            SpacesCommand.self,
            EvalCommand.self, KeysCommand.self, ChatCommand.self,
            BackupCommand.self, RestoreCommand.self, DoctorCommand.self,
            ConfigCommand.self, ServiceCommand.self, DemoCommand.self,
        ])

    /// Runs a command. What it creates is readable by this user only, and what it prints of an error is harmless to the
    /// terminal.
    static func main() async {
        umask(0o077)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            guard code != .success, !message.isEmpty else { exit(withError: error) }
            Terminal.note(message)
            Foundation.exit(code.rawValue)
        }
    }
}
