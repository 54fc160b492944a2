import Foundation
import GRDB
import Machine

/// Backs up a notes database: writes one file with the database's state at one moment, while the database is in use.
///
/// The file also has the files of the books and the keys beside the database. Left out are index files and cached embeddings,
/// which are made again, and the log of requests.
package struct DatabaseBackup: Sendable {
    /// The result of a backup.
    package struct Summary: Sendable, Hashable {
        /// Path of the backup file.
        package var path: String
        /// Size of the file in bytes.
        package var bytes: Int
        /// Number of notes in the file.
        package var notes: Int
        /// Number of books whose files are in the backup.
        package var books: Int
        /// Titles of books whose files are missing or damaged beside the database, so that the backup lacks them.
        package var missing: [String]
    }

    /// Path of the database.
    package var source: String
    /// Path of the backup file to write.
    package var target: String
    /// Whether to replace an existing file at the target.
    package var replaces: Bool

    /// The folder of the books' files; nil to leave them out.
    package var books: String?

    /// Creates a backup; ``run(progress:)`` performs it.
    ///
    /// - Parameter books: The folder of the books' files; nil to leave them out.
    package init(of source: String, to target: String, replaces: Bool = false, books: String?) {
        self.source = source
        self.target = target
        self.replaces = replaces
        self.books = books
    }

    /// Writes the backup to a temporary name beside the target, checks it, flushes it to disk and renames it. A
    /// cancelled or failed run leaves no files.
    ///
    /// - Parameter progress: Called about every 4 MiB, on the copying thread.
    /// - Throws: ``StorageError``: `notFound` without a database, `conflict` when the target exists, `newerVersion`,
    ///   `corrupt`, `diskFull`; `CancellationError`.
    package func run(progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }) async throws -> Summary {
        try await CopyWork.run { try write($0, progress) }
    }

    private func write(_ work: CopyWork, _ progress: @escaping @Sendable (CopyProgress) -> Void) throws -> Summary {
        try DatabaseFile.checkHeader(source)
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: target, isDirectory: &isFolder), isFolder.boolValue {
            throw StorageError(.invalid, "\(target) is a folder; the path of the backup file is expected")
        }
        guard replaces || !PrivateFile.exists(target) else {
            throw StorageError(.conflict, "\(target) exists already; give another name, or --force to replace it")
        }
        guard !PrivateFile.isSame(source, target) else {
            throw StorageError(.invalid, "\(target) is the database itself; give the backup another name")
        }
        let files = BackupFiles(work: work, database: source, books: books ?? source + ".books", progress: progress)
        var added = BackupFiles.Outcome()
        let copied = try work.with(source, isReadOnly: true) { queue in
            try queue.read { try WriterVersion.check($0, path: source) }
            return try DatabaseCopy(work: work, source: queue, progress: progress).install(as: target) { copy in
                added = try files.add(to: copy, withBooks: books != nil)
                try DatabaseFile.checkNotes(copy, path: "the backup of \(source)")
            } place: { partial in
                if replaces {
                    try PrivateFile.move(partial, over: target)
                } else {
                    try PrivateFile.move(partial, toNew: target)
                }
            }
        }
        return Summary(
            path: target, bytes: copied.bytes, notes: copied.notes, books: added.books, missing: added.missing)
    }
}
