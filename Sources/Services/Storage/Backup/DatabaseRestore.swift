import Foundation
import GRDB
import GatewayAPI
import Machine

/// Replaces a database with a backup.
package struct DatabaseRestore: Sendable {
    /// The result of a restore.
    package struct Summary: Sendable, Hashable {
        /// Path of the database.
        package var path: String
        /// Size of the database in bytes.
        package var bytes: Int
        /// Number of notes in the database.
        package var notes: Int
        /// Number of books whose files are there.
        package var books: Int
        /// Titles of books whose files neither the backup nor the folder has.
        package var missing: [String]
        /// The new path of the replaced database; nil when there was none.
        package var previous: String?
    }

    /// Path of the backup.
    package var source: String
    /// Path of the database to write.
    package var target: String
    /// Whether an existing database may be moved aside.
    package var replaces: Bool

    /// The folder for the books' files.
    package var books: String
    /// Whether to restore also when the backup should have files of books and lacks them.
    package var mayLackBooks: Bool

    /// Creates a restore; ``run(progress:)`` performs it.
    ///
    /// - Parameters:
    ///   - books: The folder for the books' files; nil for the one beside the database.
    ///   - mayLackBooks: Whether to restore also when the backup should have files of books and lacks them.
    package init(
        of source: String, to target: String, replaces: Bool = false, books: String? = nil, mayLackBooks: Bool = false
    ) {
        self.source = source
        self.target = target
        self.replaces = replaces
        self.books = books ?? target + ".books"
        self.mayLackBooks = mayLackBooks
    }

    /// Checks the backup, copies it beside the database, flushes the copy to disk and renames it. Renames an existing
    /// database, never deletes it. A cancelled or failed run changes nothing.
    ///
    /// The restored database gets a new identity, so that index files of the old database do not match it.
    /// - Parameter progress: Called about every 4 MiB, on the copying thread.
    /// - Throws: ``StorageError``: `notFound` without a backup, `conflict` when the database exists, `busy` when a
    ///   process uses it, `newerVersion`, `invalid`, `corrupt`, `diskFull`; `CancellationError`.
    package func run(progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }) async throws -> Summary {
        try await CopyWork.run { try restore($0, progress) }
    }

    private func restore(_ work: CopyWork, _ progress: @escaping @Sendable (CopyProgress) -> Void) throws -> Summary {
        try DatabaseFile.checkHeader(source)
        guard !PrivateFile.isSame(source, target) else {
            throw StorageError(.invalid, "\(source) is the database itself; the path of a backup is expected")
        }
        let old = ReplacedDatabase(path: target)
        if !replaces, old.exists {
            throw StorageError(
                .conflict, "\(target) exists already; --replace moves it aside, --database PATH restores elsewhere")
        }
        try old.checkUnused(work)
        try PrivateFile.createFolder(PrivateFile.parent(of: target))
        var previous: String?
        let files = BackupFiles(work: work, database: target, books: books, progress: progress)
        var (taken, written) = (BackupFiles.Outcome(), [String]())
        var isDone = false
        defer {
            if !isDone {
                for path in written { PrivateFile.remove(path) }
                PrivateFile.removeEmptyFolder(books)
            }
        }
        let copied = try work.with(source, isReadOnly: true) { queue in
            try DatabaseFile.checkNotes(queue, path: source)
            return try DatabaseCopy(work: work, source: queue, progress: progress).install(as: target) { copy in
                taken = try files.takeOut(of: copy, needsBooks: !mayLackBooks, written: &written)
                try copy.write { database in
                    guard try database.tableExists("gateway_meta") else { return }
                    try database.execute(sql: "DELETE FROM gateway_meta WHERE key = 'identity'")
                }
            } place: { partial in
                previous = try old.moveAside(work)
                // Without room for copies the files stay in the folder for a day; the restore goes on all the same.
                if let previous { try? BackupFiles.keepBooks(of: books, for: previous) }
                try PrivateFile.move(partial, over: target)
                isDone = true
            }
        }
        return Summary(
            path: target, bytes: copied.bytes, notes: copied.notes, books: taken.books, missing: taken.missing,
            previous: previous)
    }
}

/// The database that a restore replaces.
private struct ReplacedDatabase {
    let path: String

    /// Suffixes of SQLite's files beside a database. A leftover file of a deleted database would be applied to the new
    /// one.
    private static let endings = ["-wal", "-shm", "-journal"]

    var exists: Bool { ([""] + Self.endings).contains { PrivateFile.exists(path + $0) } }

    /// - Throws: ``StorageError/Code/busy`` when another process has the database open.
    func checkUnused(_ work: CopyWork) throws {
        guard PrivateFile.exists(path) else { return }
        if PrivateFile.isLocked(path) { throw inUse }
        guard (try? DatabaseFile.checkHeader(path)) != nil else { return }
        do {
            // Leaving WAL mode needs exclusive access, and leaves one complete file.
            try work.with(path, isReadOnly: false, timeout: 1) { queue in
                try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            }
        } catch let error as StorageError where error.code == .busy {
            throw inUse
        } catch let error as StorageError where error.code == .corrupt || error.code == .failed {
            // A damaged database may be replaced.
        }
    }

    /// Renames the database and SQLite's files beside it.
    ///
    /// - Returns: The new path; nil when there was no database.
    func moveAside(_ work: CopyWork) throws -> String? {
        guard exists else { return nil }
        try checkUnused(work)
        let time = Timestamp.now.filter(\.isNumber)
        var name = "\(path).replaced-\(time)"
        var number = 1
        while ([""] + Self.endings).contains(where: { PrivateFile.exists(name + $0) }) {
            number += 1
            name = "\(path).replaced-\(time)-\(number)"
        }
        for ending in [""] + Self.endings where PrivateFile.exists(path + ending) {
            try PrivateFile.move(path + ending, toNew: name + ending)
        }
        return name
    }

    private var inUse: StorageError {
        StorageError(
            .busy, "the database \(path) is in use; stop `selene serve` and every other program that has it open")
    }
}
