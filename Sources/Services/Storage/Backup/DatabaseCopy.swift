import GRDB
import Machine

/// Copies a database's state at one moment into a new file with mode 0600. Others may keep writing to the database.
struct DatabaseCopy {
    /// Pages per step, 4 MiB at the usual page size; a cancellation takes effect between steps.
    private static let pagesPerStep: Int32 = 1024

    let work: CopyWork
    let source: DatabaseQueue
    let progress: @Sendable (CopyProgress) -> Void

    /// Copies to a temporary name beside a path, checks the copy, flushes it to disk, and gives it its name. A
    /// cancelled or failed run leaves no files.
    ///
    /// - Parameters:
    ///   - target: The final path of the copy.
    ///   - prepare: Runs on the copy, right before it is flushed to disk.
    ///   - place: Renames the copy to the target; receives the copy's path.
    /// - Returns: The size of the copy in bytes, and its number of notes.
    /// - Throws: ``StorageError``, `CancellationError`.
    func install(
        as target: String, prepare: (DatabaseQueue) throws -> Void, place: (_ partial: String) throws -> Void
    ) throws -> (bytes: Int, notes: Int) {
        let partial = "\(target).partial-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        var notes = 0
        try write(to: partial) { copy in
            try prepare(copy)
            notes = try copy.read { try Scalar.count($0, sql: "SELECT count(*) FROM raw_notes") } ?? 0
        }
        do {
            let bytes = try PrivateFile.size(partial)
            try place(partial)
            try PrivateFile.synchronise(target)
            return (bytes, notes)
        } catch {
            Self.remove(partial)
            throw error
        }
    }

    /// Copies to a new path; removes the copy when this throws.
    ///
    /// - Parameter finish: Runs on the copy, right before it is flushed to disk.
    /// - Throws: ``StorageError``, `CancellationError`.
    private func write(to path: String, finish: (DatabaseQueue) throws -> Void) throws {
        guard PrivateFile.create(path) else { throw StorageError(.cannotOpen, "cannot create \(path)") }
        do {
            try work.with(path, isReadOnly: false) { try copy(into: $0) }
            try work.with(path, isReadOnly: false) { queue in
                // The copied header says WAL. A backup should need no files beside it.
                try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
                try finish(queue)
            }
            try work.check()
            try PrivateFile.synchronise(path)
        } catch {
            Self.remove(path)
            throw error
        }
    }

    private func copy(into queue: DatabaseQueue) throws {
        // No other process sees the file before it is complete and flushed, so a journal would protect nothing.
        try queue.writeWithoutTransaction { target in
            try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try source.read { source in
                // The first read fixes the snapshot. Without it, each step would see a new snapshot and start over.
                let pageSize = try Scalar.count(source, sql: "PRAGMA page_size") ?? 4096
                _ = try Scalar.count(source, sql: "SELECT count(*) FROM sqlite_master")
                try source.backup(to: target, pagesPerStep: Self.pagesPerStep) { step in
                    try work.check()
                    let total = step.totalPageCount * pageSize
                    progress(CopyProgress(done: total - step.remainingPageCount * pageSize, total: total))
                }
            }
        }
    }

    /// Removes an incomplete copy and SQLite's files beside it.
    private static func remove(_ path: String) {
        for ending in ["", "-journal", "-wal", "-shm"] { PrivateFile.remove(path + ending) }
    }
}
