import GRDB

/// Copies a database, as it is at one moment, into one new file with mode 0600. Others may go on writing it meanwhile.
struct DatabaseCopy {
    /// Pages that are copied in one step, 4 MiB of the usual size; a cancellation takes effect between steps.
    private static let pagesPerStep: Int32 = 1024

    let work: CopyWork
    let source: DatabaseQueue
    let progress: @Sendable (CopyProgress) -> Void

    /// Copies beside a path, checks and synchronises the copy, then gives it its name. A run that was cancelled or failed
    /// leaves nothing behind.
    ///
    /// - Parameters:
    ///   - target: The path that the copy gets in the end.
    ///   - prepare: Runs on the copy, the last thing before it is synchronised to the disk.
    ///   - place: Renames the copy, whose path it is given, to the target.
    /// - Returns: The bytes of the copy, and the notes in it.
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

    /// Copies to a path that nothing has; removes what was written when this throws.
    ///
    /// - Parameter finish: Runs on the copy, the last thing before it is synchronised to the disk.
    /// - Throws: ``StorageError``, `CancellationError`.
    private func write(to path: String, finish: (DatabaseQueue) throws -> Void) throws {
        guard PrivateFile.create(path) else { throw StorageError(.cannotOpen, "cannot create \(path)") }
        do {
            try work.with(path, isReadOnly: false) { try copy(into: $0) }
            try work.with(path, isReadOnly: false) { queue in
                // The copied header says WAL. A file that is kept should need no files beside it.
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
        // Nobody sees the file before it is whole and synchronised, so its journal would protect nothing.
        try queue.writeWithoutTransaction { target in
            try target.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
            try source.read { source in
                // The first read fixes the snapshot. Without it, each step would see another one and start over.
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

    /// Removes a copy that is not whole, with what SQLite put beside it.
    private static func remove(_ path: String) {
        for ending in ["", "-journal", "-wal", "-shm"] { PrivateFile.remove(path + ending) }
    }
}
