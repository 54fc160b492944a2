import GRDB

/// Copies a database, as it is at one moment, into one new file with mode 0600. Others may go on writing it meanwhile.
struct DatabaseCopy {
    /// Pages that are copied in one step, 4 MiB of the usual size; a cancellation takes effect between steps.
    private static let pagesPerStep: Int32 = 1024

    let work: CopyWork
    let source: DatabaseQueue
    let progress: @Sendable (CopyProgress) -> Void

    /// Copies to a path that nothing has; removes what was written when this throws.
    ///
    /// - Parameter finish: Runs on the copy, the last thing before it is synchronised to the disk.
    /// - Throws: ``StorageError``, `CancellationError`.
    func write(to path: String, finish: (DatabaseQueue) throws -> Void) throws {
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
    static func remove(_ path: String) {
        for ending in ["", "-journal", "-wal", "-shm"] { PrivateFile.remove(path + ending) }
    }
}
