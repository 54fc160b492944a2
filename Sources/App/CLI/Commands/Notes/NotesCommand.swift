import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene notes`: shows, edits, deletes and restores single notes through a running gateway.
struct NotesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes",
        abstract: "Show, edit, delete and restore a note, through a running gateway.",
        discussion: """
            A note is named by its number, which `selene search`, chats and the address of its page show.

              selene notes show 12
              selene notes edit 12                          in $EDITOR
              selene notes edit 12 --title "Spring tide"
              selene notes show 12 > n.md; selene notes edit 12 --file n.md
              selene notes delete 12; selene notes deleted; selene notes restore 12
              selene notes history 12                       what the note was before
              selene notes restore 12 --version 40

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read, to change a note also notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """,
        subcommands: [
            Show.self, NotesEditCommand.self, NotesDeleteCommand.self, NotesRestoreCommand.self,
            NotesHistoryCommand.self, NotesDeletedCommand.self,
        ])

    /// `selene notes show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a note in its text form, which `edit` reads.")

        @Argument(help: "The note's number.")
        var id: Int64

        @OptionGroup var gateway: GatewayOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            try await GatewayOptions.reported(isJSON: json) {
                let note = try await RemoteDataService(try gateway.connect()).note(id)
                try Terminal.report(note, asJSON: json) { Terminal.write(NoteText(note).text) }
            }
        }
    }
}
