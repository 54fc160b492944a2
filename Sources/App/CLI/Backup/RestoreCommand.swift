import ArgumentParser
import Foundation
import Gateway
import Search
import Storage

/// `selene restore`: a backup as the database.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a backup the database.",
        discussion: """
            Checks the backup, copies it beside the database and renames it when it is whole and on the disk. The backup \
            itself stays as it is. A database that exists is refused; --replace renames it to FILE.replaced-TIME first, and \
            refuses while a server or another program has it open. Index files of the old database are deleted; the next \
            command makes them again.

              selene restore ~/backups/notes-2026-03-14.sqlite
              selene restore notes.sqlite --database /tmp/look.sqlite
              selene restore notes.sqlite --replace

            Exit codes: 0 restored, 1 failed or refused, 64 wrong usage, 65 the backup is damaged, holds no notes, or was \
            written by a newer version, 130 interrupted.
            """)

    @Argument(help: "The backup.")
    var file: String

    @Flag(help: "Move a database that exists aside (default: refuse).")
    var replace = false

    @OptionGroup var options: CopyOptions

    private struct Summary: Encodable {
        var database: String
        var bytes: Int
        var notes: Int
        var previous: String?
        var seconds: Double
    }

    func run() async throws {
        let configuration = try options.configuration.load()
        let restore = DatabaseRestore(of: file, to: configuration.databasePath, replaces: replace)
        let (done, seconds) = try await CopyBar.run("restore") { progress in
            do {
                return try await restore.run(progress: progress)
            } catch let error as StorageError where error.code == .invalid {
                throw StorageError(.corrupt, error.message)
            }
        }
        if let folder = configuration.indexFolder { IndexFolder(path: folder).removeFiles() }
        let summary = Summary(
            database: done.path, bytes: done.bytes, notes: done.notes, previous: done.previous, seconds: seconds)
        try Terminal.report(summary, asJSON: options.json) {
            Terminal.line("restored \(done.path): \(done.notes) notes, \(CopyBar.megabytes(done.bytes))")
            if let previous = done.previous { Terminal.line("the database before is \(previous)") }
        }
    }
}
