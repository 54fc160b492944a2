import ArgumentParser
import Books
import Foundation
import Gateway
import Storage
import Text

/// `selene backup`: copies the database to one file while it is in use.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database to one file while servers and other programs use it.",
        discussion: """
            The file is a consistent snapshot of notes with their earlier versions, keys, vectors, chats and goals, with the \
            files of the books and the key of APNs. Left out are index files and cached embeddings, which are made again, the \
            log of requests, the folder of `selene tls`, and files that settings name, such as the key of Web Push. \
            --without-books also leaves out the books' files: their texts stay, their printed pages do not. The copy is \
            checked and synced to disk before it gets its name. An interrupted backup leaves nothing behind; one that was \
            killed leaves a file FILE.partial-…, which you may delete. Only you can read the file.

            Do not copy the database file with cp or rsync: the latest notes are in the -wal file beside it.

              selene backup ~/backups/notes-2026-03-14.sqlite
              selene backup --force /mnt/disk/notes.sqlite
              selene restore ~/backups/notes-2026-03-14.sqlite

            Exit codes: 0 written, 1 failed, 64 wrong usage, 65 the database is damaged or was written by a newer \
            version, 130 interrupted.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace an existing file (default: refuse).")
    var force = false

    @Flag(help: "Leave out the books' files (default: with them).")
    var withoutBooks = false

    @OptionGroup var options: CopyOptions

    private struct Summary: Encodable {
        var file: String
        var bytes: Int
        var notes: Int
        var books: Int
        /// Titles of books whose files are missing beside the database.
        var missing: [String]
        var seconds: Double
    }

    func run() async throws {
        let configuration = try options.configuration.load()
        let backup = DatabaseBackup(
            of: configuration.databasePath, to: file, replaces: force,
            books: withoutBooks ? nil : configuration.books.folder)
        let (done, seconds) = try await CopyBar.run("backup") { try await backup.run(progress: $0) }
        let summary = Summary(
            file: done.path, bytes: done.bytes, notes: done.notes, books: done.books, missing: done.missing,
            seconds: seconds)
        try Terminal.report(summary, asJSON: options.json) {
            let books = done.books > 0 ? ", files of \(CopyBar.books(done.books))" : ""
            Terminal.line(
                "wrote \(done.path): \(Count.of(done.notes, "note"))\(books), \(CopyBar.megabytes(done.bytes)), checked"
            )
        }
        if withoutBooks { Terminal.note("the files of the books are left out, as --without-books says") }
        CopyBar.warn(of: done.missing, "the backup lacks them")
    }
}
