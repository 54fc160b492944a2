@_exported public import Database
import Foundation
import GRDB
import GatewayAPI
import KeyRoom
import Machine
import Synchronization

/// The notes database: one SQLite file, in WAL mode, shared with other processes.
///
/// Opens an existing Selene database as it is: migrations only add our own tables and triggers, all named `gateway_…`.
/// They never alter other tables, columns or rows. Methods may be called from any task; the work runs on SQLite's own
/// queues, off the cooperative pool.
package final class GatewayDatabase: Sendable {
    /// Path of the database file.
    package let path: String
    let pool: DatabasePool
    let keyConnection: KeyConnection
    /// The file's current tables and columns; another program may change them at any time.
    let layouts = LayoutCache()
    /// State of the checks of our triggers.
    let triggers: TriggerChecks
    let durable: DurableWriter
    /// What knows which key made which; nil for the keys themselves.
    let familySource = Mutex<(@Sendable () async throws -> KeyFamilies)?>(nil)
    /// Finds duplicates of captured notes.
    let noteHashes: NoteHashes
    /// The time in milliseconds since 1970.
    package let clock: @Sendable () -> Int64
    /// The same clock, with a watch for its jumps.
    let steady: SteadyClock

    /// Opens a database. Creates the file (mode 0600) and its folder (mode 0700) when they are missing.
    ///
    /// - Parameters:
    ///   - path: Path of the database file.
    ///   - repairsTriggers: Whether to recreate missing and altered triggers, now and whenever the schema changes;
    ///     false leaves them as they are, for ``inspectTriggers()``.
    /// - Throws: ``StorageError`` when the path is a folder, or the file is not a database, read-only, locked, or
    ///   written by a newer version (``StorageError/Code/newerVersion``).
    package convenience init(path: String, repairsTriggers: Bool = true) throws(StorageError) {
        try self.init(path: path, repairsTriggers: repairsTriggers, clock: { Timestamp.milliseconds })
    }

    /// Opens a database with a clock of its own, in milliseconds since 1970.
    package init(
        path: String, repairsTriggers: Bool = true, clock: @escaping @Sendable () -> Int64
    ) throws(StorageError) {
        self.path = path
        self.clock = clock
        steady = SteadyClock(clock)
        triggers = TriggerChecks(isOn: repairsTriggers)
        do {
            try Self.prepareFolder(of: path)
            PrivateFile.create(path)
            let pool = try Self.retryingRaces {
                let pool = try DatabasePool(path: path, configuration: Self.configuration)
                try pool.read { try WriterVersion.check($0, path: path) }
                try Migrations.migrator.migrate(pool)
                try WriterVersion.record(pool)
                return pool
            }
            self.pool = pool
            keyConnection = try KeyConnection(path: path)
            let hashes = NoteHashes()
            noteHashes = hashes
            durable = DurableWriter(pool) { hashes.forget() }
            try verifyTriggers()
        } catch let error as StorageError {
            throw error
        } catch let error as FileError {
            throw StorageError(error)
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        } catch {
            throw StorageError(.cannotOpen, "cannot open the database \(path): \(error)")
        }
    }

    /// Closes the database; later calls fail.
    package func close() throws(StorageError) {
        do {
            // The last connection to close merges the WAL into the file. A read-only connection cannot, so it closes
            // first.
            try keyConnection.close()
            // After a bulk most rows may be in the log, and a reader of this pool may be the last to close.
            // As SQL, which fails on a connection that is closed already, where GRDB's `checkpoint` crashes.
            try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
            try pool.close()
        } catch {
            throw StorageError(.busy, "the database \(path) is still in use: \(error)")
        }
    }

    package var notes: NoteStore { NoteStore(database: self) }
    /// Tracks the files that notes were exported to.
    package var exports: ExportStore { ExportStore(database: self) }
    package var noteHistory: NoteHistoryStore { NoteHistoryStore(database: self) }
    package var threads: ThreadStore { ThreadStore(database: self) }
    package var sessions: SessionStore { SessionStore(database: self) }
    package var messages: MessageStore { MessageStore(database: self) }
    package var embeddings: FileEmbeddings { FileEmbeddings(database: self) }
    /// Manages embedding spaces and their vectors.
    package var spaces: SpaceStore { SpaceStore(database: self) }
    /// The queue of notes to embed.
    package var queue: QueueStore { QueueStore(database: self) }
    /// The log of changed notes.
    package var changes: ChangeLog { ChangeLog(database: self) }

    // MARK: Reading and writing

    /// Reads in one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await pool.read(body) }
    }

    /// Writes data that must survive a power cut; returns when it is on disk. Concurrent writes share a transaction,
    /// see ``DurableWriter``.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await durable.write(body) }
    }

    /// Writes reproducible data in its own transaction. A power cut may lose the last such writes.
    func writeRelaxed<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await pool.write(body) }
    }

    /// Writes like ``writeRelaxed(_:)``, but leaves it to a later write to copy the write-ahead log into the file. After
    /// a large transaction of another program that copying takes a tenth of a second and more.
    func writeBeforeCheckpoint<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await translatingErrors {
            try await pool.writeWithoutTransaction { database in
                let frames = try Scalar.integer(database, sql: "PRAGMA wal_autocheckpoint") ?? 1000
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                defer { try? database.execute(sql: "PRAGMA wal_autocheckpoint = \(frames)") }
                try database.beginTransaction(.immediate)
                do {
                    let value = try body(database)
                    try database.commit()
                    return value
                } catch {
                    try? database.rollback()
                    throw error
                }
            }
        }
    }

    /// Writes many rows that must survive a power cut in a transaction of their own; passes the file's tables and columns.
    ///
    /// Without the savepoint of ``write(_:)`` SQLite keeps no copy of each page that a statement changes: with it, 2,000
    /// notes wrote 100 MB to a temporary file. Commands that import use this, so the connection keeps its larger cache of up
    /// to 192 MB: notes change the pages of an index in any order, and each page that does not fit is written to the log
    /// again. The log grows to 128 MB for the same reason: a page that changes again and again is copied into the file once.
    func writeBulk<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await translatingErrors {
            try await pool.writeWithoutTransaction { database in
                try database.execute(
                    sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -196608; PRAGMA wal_autocheckpoint = 32000")
                defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
                var written: Value?
                try database.inTransaction(.immediate) {
                    written = try body(database, try layouts.current(database))
                    return .commit
                }
                guard let written else { throw StorageError(.failed, "a write did not run") }
                return written
            }
        }
    }

    /// Reads in one snapshot; passes the tables and columns of that snapshot.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await read { try body($0, try layouts.current($0)) }
    }

    /// Writes like ``write(_:)``; passes the file's tables and columns.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await write { try body($0, try layouts.current($0)) }
    }

    /// Writes like ``writeRelaxed(_:)``; passes the file's tables and columns.
    func writeRelaxed<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await writeRelaxed { try body($0, try layouts.current($0)) }
    }

    private func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        // Another program shares the file; it decides whether foreign keys are enforced.
        configuration.foreignKeysEnabled = false
        configuration.label = "selene"
        let trace = StatementTrace.preparation()
        configuration.prepareDatabase { database in
            trace(database)
            // `DurableWriter` raises this to FULL for its transactions. `fullfsync` has an effect on macOS only.
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA fullfsync = ON")
            database.add(function: ContentHash.sqlFunction)
            database.add(function: FoldedContains.sqlFunction)
            database.add(function: OddRows.sqlFunction)
        }
        return configuration
    }

    private static func prepareFolder(of path: String) throws {
        var isFolder: ObjCBool = false
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw StorageError(.cannotOpen, "\(path) is a folder; the path of a database file is expected")
        }
        try PrivateFile.createFolder(folder)
    }

    /// Retries, since two processes may open a new file at once and race to migrate it; the loser finds the work done.
    private static func retryingRaces<Value>(_ body: () throws -> Value) throws -> Value {
        var attempt = 0
        while true {
            do {
                return try body()
            } catch let error as DatabaseError
                where attempt < 20 && [.SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_BUSY].contains(error.resultCode)
            {
                attempt += 1
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }
}
