import ArgumentParser

/// `selene books`: the library of books, without a server.
struct BooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "books",
        abstract: "Add, read and search books.",
        discussion: """
            PDF, EPUB, DOCX, HTML, Markdown and text, as files or URLs. A book can be read and found by words as soon as \
            its file is read; its passages are embedded with Ollama then. A running gateway goes on with what is left.

              selene books add ~/books novel.epub https://example.org/essay.html
              selene books list
              selene books search 3 "who wrote the letter"
              selene books position 3 42
              selene books read 3 42

            With SELENE_URL, list asks the gateway there, and the other commands need --database.

            Exit codes: 0 done, 1 failed, 2 some books failed or wait for Ollama.
            """,
        subcommands: [
            BooksAddCommand.self, BooksListCommand.self, BooksShowCommand.self, BooksReadCommand.self,
            BooksSearchCommand.self, BooksFindCommand.self, BooksPositionCommand.self, BooksExportCommand.self,
            BooksRemoveCommand.self, BooksRetryCommand.self,
        ])
}

/// The flags of every command on books.
struct BookOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    /// Whether the books are those of the gateway that `SELENE_URL` names. `--database` names those of a database.
    var isOfGateway: Bool { CommandTarget.urlOfEnvironment != nil && options.database == nil }
}
