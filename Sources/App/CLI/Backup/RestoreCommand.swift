import ArgumentParser
import Books
import Foundation
import Gateway
import Search
import Storage
import Text

/// `selene restore`: copies a backup to the database's place.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the database from a backup.",
        discussion: """
            Checks the backup, copies it beside the database, and renames the copy once it is complete and on disk. \
            The backup itself does not change. An existing database is not overwritten: --replace renames it to \
            FILE.replaced-TIME first, and refuses while a server or another program has it open. Index files of the \
            old database are deleted and rebuilt when needed. The files of the books come back with it, checked by their \
            hashes; a backup that should have them and lacks some is refused, unless --without-books is given. Backups of \
            earlier versions have none: the books' files that are beside the database stay.

              selene restore ~/backups/notes-2026-03-14.sqlite
              selene restore notes.sqlite --database /tmp/look.sqlite
              selene restore notes.sqlite --replace

            Exit codes: 0 restored, 1 failed or refused, 64 wrong usage, 65 the backup is damaged, is not a notes \
            database, or was written by a newer version, 130 interrupted.
            """)

    @Argument(help: "The backup.")
    var file: String

    @Flag(help: "Move an existing database aside (default: refuse).")
    var replace = false

    @Flag(help: "Restore also when files of books are missing in the backup (default: refuse).")
    var withoutBooks = false

    @OptionGroup var options: CopyOptions

    private struct Summary: Encodable {
        var database: String
        var bytes: Int
        var notes: Int
        var books: Int
        /// Titles of books without a file.
        var missing: [String]
        var previous: String?
        var seconds: Double
    }

    func run() async throws {
        let configuration = try options.configuration.load()
        let restore = DatabaseRestore(
            of: file, to: configuration.databasePath, replaces: replace, books: configuration.books.folder,
            mayLackBooks: withoutBooks)
        let (done, seconds) = try await CopyBar.run("restore") { progress in
            do {
                return try await restore.run(progress: progress)
            } catch let error as StorageError where error.code == .invalid {
                throw StorageError(.corrupt, error.message)
            }
        }
        if let folder = configuration.search.indexFolder { IndexFolder(path: folder).removeFiles() }
        let summary = Summary(
            database: done.path, bytes: done.bytes, notes: done.notes, books: done.books, missing: done.missing,
            previous: done.previous, seconds: seconds)
        try Terminal.report(summary, asJSON: options.json) {
            let books = done.books > 0 ? ", files of \(CopyBar.books(done.books))" : ""
            Terminal.line(
                "restored \(done.path): \(Count.of(done.notes, "note"))\(books), \(CopyBar.megabytes(done.bytes))")
            if let previous = done.previous { Terminal.line("the previous database is \(previous)") }
        }
        CopyBar.warn(of: done.missing, "their texts are there, their printed pages are not")
    }
}
