import ArgumentParser
import GatewayAPI
import NoteSources
import Text

/// `selene sources`: folders and files whose notes are kept up to date.
struct SourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "Have the notes follow folders and files.",
        discussion: """
            A source has a name. A running gateway (selene serve) follows it: a changed file changes its note within seconds, a moved \
            or renamed one keeps it, and the note of a removed file goes to the bin for 30 days and comes back with the file. When \
            more than a fifth of the files is missing at once, as when a disk is not mounted, nothing is removed and the source \
            asks. A note that you edited here is never removed, and never overwritten.

            A folder of Markdown, such as an Obsidian vault, is followed file by file. Any other file or folder that selene ingest \
            reads is read again when it changes; its notes are added and updated, never removed. A source without a path takes notes \
            from scripts: POST /api/sources/NAME/notes.

            Hidden files are left out, and paths that match a pattern: --ignore, or lines of a file .seleneignore in the folder, \
            as in a .gitignore. Notes that were ingested before keep their ids.

              selene sources add vault ~/vault --ignore 'Templates/' --ignore '*.excalidraw.md'
              selene sources add tracker
              selene sources list
              selene sources show vault
              selene sources pause vault
              selene sources resume vault --accept-missing
              selene sources remove vault --keep-notes

            Exit codes: 0 done, 1 failed, 2 some files were not read, 64 wrong usage, 130 interrupted.
            """,
        subcommands: [
            SourcesAddCommand.self, SourcesListCommand.self, SourcesShowCommand.self, SourcesLookCommand.self,
            SourcesPauseCommand.self, SourcesResumeCommand.self, SourcesRemoveCommand.self,
        ])
}

/// The options of each command on sources.
struct SourceOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false
}

extension CommandContext {
    var sources: SourceService { SourceService(store: store) }
}

extension Source {
    /// A line about the source's state.
    var summary: String {
        let counts =
            kind == .script
            ? "takes notes from scripts"
            : Count.of(files, "file") + (unread == 0 ? "" : ", \(unread) not read")
                + (removed == 0 ? "" : ", \(removed) in the bin")
        return counts + (message.map { "; \($0)" } ?? "")
    }
}
