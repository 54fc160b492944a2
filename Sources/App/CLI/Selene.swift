import ArgumentParser
import Foundation
import GatewayAPI
import Machine
import Synchronization

/// The command `selene`.
@main
struct Selene: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selene",
        abstract: "A self-hosted Ollama proxy and retrieval gateway over your notes.",
        discussion: """
            Start here:

              selene demo                      show the gateway at work on sample notes
              selene ingest ~/notes            store a folder of Markdown
              selene sources add vault ~/vault have the notes follow a folder
              selene backfill                  embed new notes with Ollama
              selene find tide tables          find in notes, books, chats, memories, goals
              selene search "tide tables"      find notes by meaning and by word
              selene notes edit 12             change a note in $EDITOR
              selene books add novel.epub      read and search a book up to your page
              selene goals                     goals and progress; selene log, terms, review
              selene push                      notifications: send, devices, log, why none came
              selene briefing                  what may be worth a look today
              selene threads                   threads found in the notes, to accept or decline
              selene actions                   tasks that your notes speak of
              selene memories                  what is remembered about you
              selene eval collections/x        measure the quality of search
              selene                           serve the pages and HTTP on 127.0.0.1:5678
              selene pair phone                sign in a phone or a browser
              selene chat                      ask your notes through a running gateway
              selene prompts                   prompts over your notes, the gateway's and your own
              selene mcp                       serve the notes to an assistant (MCP)
              selene playground                try prompts, tools and models; compare models
              selene backup notes.backup       copy the database while it is in use
              selene migrate --to postgres://… move the notes to PostgreSQL, or back
              selene requests                  what was asked, and what is in flight
              selene audit                     who changed keys, models and settings
              selene watch                     what a running gateway does, live
              selene doctor                    find problems and say how to fix them

            Exit codes: 0 done, 1 failed, 2 partly done, 64 wrong usage or configuration, 65 the data is damaged or \
            was written by a newer version, 75 the address to listen on does not exist yet, 130 interrupted.
            """,
        version: GatewayVersion.current,
        subcommands: [
            ServeCommand.self, IngestCommand.self, SourcesCommand.self, BackfillCommand.self, FindCommand.self,
            SearchCommand.self,
            NotesCommand.self,
            IndexCommand.self, SpacesCommand.self, BooksCommand.self, GoalsCommand.self, LogCommand.self,
            TermsCommand.self,
            ReviewCommand.self, BriefingCommand.self, ThreadsCommand.self, ActionsCommand.self, MemoriesCommand.self,
            PushCommand.self,
            EvalCommand.self, KeysCommand.self, PairCommand.self, TLSCommand.self, ChatCommand.self,
            PromptsCommand.self, PlaygroundCommand.self, MCPCommand.self,
            RequestsCommand.self, AuditCommand.self, WatchCommand.self, BackupCommand.self, RestoreCommand.self,
            MigrateCommand.self,
            DoctorCommand.self,
            ConfigCommand.self, ServiceCommand.self, DemoCommand.self, ReadDocumentCommand.self,
        ])

    /// Runs a command. Files that it creates are readable by this user only, and its error messages contain no control
    /// characters.
    static func main() async {
        AllocatorArenas.limitToCores()
        umask(0o077)
        ReaderProgram.path.withLock { $0 = Bundle.main.executablePath }
        let given = CommandNames.corrected(Array(CommandLine.arguments.dropFirst()))
        // Alone, the name of the program starts what it is for.
        let arguments = given.isEmpty ? ["serve"] : given
        var isRead = false
        do {
            var command = try parseAsRoot(arguments)
            isRead = true
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            guard code != .success, !message.isEmpty else { exit(withError: error) }
            // The usage explains arguments that could not be read, and nothing else.
            Terminal.note(isRead ? "Error: \(Self.message(for: error))" : explained(message, arguments))
            Foundation.exit(code.rawValue)
        }
    }

    /// The message of arguments that could not be read, with the command that was meant.
    private static func explained(_ message: String, _ arguments: [String]) -> String {
        guard let suggestion = CommandNames.suggestion(for: arguments) else { return message }
        let hint = suggestion.meant.map { "did you mean `\($0)`?" }
        guard suggestion.isOnlyName else { return message + (hint.map { "\n\($0)" } ?? "") }
        let all = "`\(suggestion.command) --help` lists all"
        return "\(suggestion.command): there is no command `\(suggestion.given)`; \(hint ?? all)"
    }
}
