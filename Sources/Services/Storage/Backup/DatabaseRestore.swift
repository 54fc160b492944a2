import Foundation
import GRDB

/// Puts a backup in a database's place.
public struct DatabaseRestore: Sendable {
    /// What was restored.
    public struct Summary: Sendable, Hashable {
        /// The database.
        public var path: String
        /// Its bytes.
        public var bytes: Int
        /// Notes in it.
        public var notes: Int
        /// Where the database is that was there before; nil when there was none.
        public var previous: String?
    }

    /// The backup.
    public var source: String
    /// The database to write.
    public var target: String
    /// Whether a database that exists may be moved aside.
    public var replaces: Bool

    /// Creates a restore that is still to be done.
    public init(of source: String, to target: String, replaces: Bool = false) {
        self.source = source
        self.target = target
        self.replaces = replaces
    }

    /// Checks the backup, copies it beside the database, synchronises the copy and renames it. The database that was there
    /// is renamed, never deleted. A cancelled or failed run changes nothing.
    ///
    /// The restored database gets a new identity, so that no index file of the old one is taken for its own.
    /// - Parameter progress: Called after each 4 MiB or so, on a thread of its own.
    /// - Throws: ``StorageError``: `notFound` without a backup, `conflict` when the database exists, `busy` when a process
    ///   uses it, `newerVersion`, `invalid`, `corrupt`, `diskFull`; `CancellationError`.
    public func run(progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }) async throws -> Summary {
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
        let copied = try work.with(source, isReadOnly: true) { queue in
            try DatabaseFile.checkNotes(queue, path: source)
            return try DatabaseCopy(work: work, source: queue, progress: progress).install(as: target) { copy in
                try copy.write { database in
                    guard try database.tableExists("gateway_meta") else { return }
                    try database.execute(sql: "DELETE FROM gateway_meta WHERE key = 'identity'")
                }
            } place: { partial in
                previous = try old.moveAside(work)
                try PrivateFile.move(partial, over: target)
            }
        }
        return Summary(path: target, bytes: copied.bytes, notes: copied.notes, previous: previous)
    }
}

/// The database whose place another one takes.
private struct ReplacedDatabase {
    let path: String

    /// Files that belong to a database while it is in use; one of a deleted database would be taken for the new one's.
    private static let endings = ["-wal", "-shm", "-journal"]

    var exists: Bool { ([""] + Self.endings).contains { PrivateFile.exists(path + $0) } }

    /// - Throws: ``StorageError/Code/busy`` when another process has the database open.
    func checkUnused(_ work: CopyWork) throws {
        guard PrivateFile.exists(path) else { return }
        if PrivateFile.isLocked(path) { throw inUse }
        guard (try? DatabaseFile.checkHeader(path)) != nil else { return }
        do {
            // Leaving WAL needs the file alone, and leaves one file that is whole.
            try work.with(path, isReadOnly: false, timeout: 1) { queue in
                try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            }
        } catch let error as StorageError where error.code == .busy {
            throw inUse
        } catch let error as StorageError where error.code == .corrupt || error.code == .failed {
            // Damage is why it is replaced.
        }
    }

    /// Renames the database and its files.
    ///
    /// - Returns: The new name; nil when there was none.
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
