import ArgumentParser
import Foundation
import Gateway
import Storage

/// `selene backup`: copies the database to one file while it is in use.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database to one file while servers and other programs use it.",
        discussion: """
            The file is a consistent snapshot of notes, keys, vectors and chats. Index files and cached embeddings are \
            left out, since they can be rebuilt. The copy is checked and synced to disk before it gets its name. An \
            interrupted backup leaves nothing behind. Only you can read the file.

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

    @OptionGroup var options: CopyOptions

    private struct Summary: Encodable {
        var file: String
        var bytes: Int
        var notes: Int
        var seconds: Double
    }

    func run() async throws {
        let backup = DatabaseBackup(of: try options.configuration.load().databasePath, to: file, replaces: force)
        let (done, seconds) = try await CopyBar.run("backup") { try await backup.run(progress: $0) }
        let summary = Summary(file: done.path, bytes: done.bytes, notes: done.notes, seconds: seconds)
        try Terminal.report(summary, asJSON: options.json) {
            Terminal.line("wrote \(done.path): \(done.notes) notes, \(CopyBar.megabytes(done.bytes)), checked")
        }
    }
}
