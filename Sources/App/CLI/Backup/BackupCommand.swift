import ArgumentParser
import Foundation
import Gateway
import Storage

/// `selene backup`: the database in one file, while everything runs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database to one file while servers and other programs use it.",
        discussion: """
            The file holds everything as it was at one moment: notes, keys, vectors, chats. Index files and cached \
            embeddings are left out, since they can be made again. The copy is checked and synchronised to the disk before \
            it gets its name; an interrupted backup leaves nothing behind. Only you may read the file.

            Do not copy the database file with cp or rsync: the latest notes are in the -wal file beside it.

              selene backup ~/backups/notes-2026-03-14.sqlite
              selene backup --force /mnt/disk/notes.sqlite
              selene restore ~/backups/notes-2026-03-14.sqlite

            Exit codes: 0 written, 1 failed, 64 wrong usage, 65 a newer version wrote the database, or it is damaged, \
            130 interrupted.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace the file when it exists (default: refuse).")
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
