import Foundation
import GRDB

/// The notes database: one SQLite file, in WAL mode, shared with other processes.
///
/// An existing Selene database opens as it is: its tables, columns and rows are never altered, only our own tables and
/// triggers, all named `gateway_…`, are added by migrations. Every method may be called from any task; the work runs on
/// SQLite's own queues, off the cooperative pool.
public final class GatewayDatabase: Sendable {
    /// The file.
    public let path: String
    let pool: DatabasePool
    let keyConnection: KeyConnection
    /// Which tables and columns the file has; another program may change them at any time.
    let layouts = LayoutCache()
    /// What is known of our triggers.
    let triggers: TriggerWatch
    let durable: DurableWriter
    /// Finds duplicates of what is captured.
    let noteHashes: NoteHashes

    /// Opens a database, creating the file (mode 0600) and its folder (mode 0700) when they are missing.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - repairsTriggers: Whether missing and altered triggers are made anew, now and whenever the schema changes;
    ///     false leaves them as they are, for ``inspectTriggers()``.
    /// - Throws: ``StorageError``: the path is a folder, the file is not a database, is read-only or locked, or a newer
    ///   version wrote it (``StorageError/Code/newerVersion``).
    public init(path: String, repairsTriggers: Bool = true) throws(StorageError) {
        self.path = path
        triggers = TriggerWatch(isOn: repairsTriggers)
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
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        } catch {
            throw StorageError(.cannotOpen, "cannot open the database \(path): \(error)")
        }
    }

    /// Closes the file; later calls fail.
    public func close() throws(StorageError) {
        do {
            // The last connection to close folds the log into the file, which one that only reads cannot.
            try keyConnection.close()
            try pool.close()
        } catch {
            throw StorageError(.busy, "the database \(path) is still in use: \(error)")
        }
    }

    /// Notes.
    public var notes: NoteStore { NoteStore(database: self) }
    /// Files that notes were exported to.
    public var exports: ExportStore { ExportStore(database: self) }
    /// Pairs of near notes.
    public var associations: AssociationStore { AssociationStore(database: self) }
    /// Threads and their tasks.
    public var threads: ThreadStore { ThreadStore(database: self) }
    /// Chat sessions.
    public var sessions: SessionStore { SessionStore(database: self) }
    /// Messages of chat sessions.
    public var messages: MessageStore { MessageStore(database: self) }
    /// Memories.
    public var memories: MemoryStore { MemoryStore(database: self) }
    /// Embedding spaces and their vectors.
    public var spaces: SpaceStore { SpaceStore(database: self) }
    /// Notes to embed.
    public var queue: QueueStore { QueueStore(database: self) }
    /// Jobs.
    public var jobs: JobStore { JobStore(database: self) }
    /// Keys and their usage.
    public var keys: KeyStore { KeyStore(database: self) }
    /// Devices that pushes go to.
    public var devices: DeviceStore { DeviceStore(database: self) }
    /// Changed notes.
    public var changes: ChangeLog { ChangeLog(database: self) }

    // MARK: Reading and writing

    /// Reads in one snapshot.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await pool.read(body) }
    }

    /// Writes what a power cut must not undo; returns when it is on the disk. Writes that come together share a
    /// transaction, see ``DurableWriter``.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await durable.write(body) }
    }

    /// Writes in a transaction of its own what can be made again: after a power cut the last such writes may be missing.
    func writeRelaxed<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingErrors { try await pool.write(body) }
    }

    /// Reads in one snapshot, with the tables and columns that it has.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await read { try body($0, try layouts.current($0)) }
    }

    /// The same as ``write(_:)`` with the tables and columns that the file has.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, FileLayout) throws -> Value
    ) async throws -> Value {
        let layouts = layouts
        return try await write { try body($0, try layouts.current($0)) }
    }

    /// The same as ``writeRelaxed(_:)`` with the tables and columns that the file has.
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
        // The file belongs to another program too; whether its references are enforced is that program's decision.
        configuration.foreignKeysEnabled = false
        configuration.label = "selene"
        configuration.prepareDatabase { database in
            // `DurableWriter` raises this to FULL for its transactions. Elsewhere than on macOS the second does nothing.
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

    /// Two processes may open a new file at the same moment and race to migrate it; the loser finds the work done.
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
