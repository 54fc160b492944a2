package import Logging
import Storage
import Synchronization

/// A database in PostgreSQL, shared by any number of gateways: its pool and schema, with the parts that hold notes, spaces, the
/// embedding queue, chat sessions, memories and jobs.
///
/// The schema is checked and migrated before the first use, and again after a failure to do so. So a gateway can start
/// while the server is away.
package final class PostgresStore: Sendable {
    package let pool: PostgresPool
    /// The index of vectors that tuning builds.
    package let index: VectorIndexPlan.Choice
    let logger: Logger
    let vocabulary = VocabularyCache()
    let vocabularyIndex: VocabularyIndex
    let holders = HolderCache()
    private let migration = Mutex<Task<Void, any Error>?>(nil)
    private let isMigrated = Atomic(false)

    /// Creates a store; connects on first use.
    ///
    /// - Parameter vocabularyBytes: The largest vocabulary that is kept in memory; see ``VocabularyIndex``.
    package init(
        _ address: PostgresAddress, options: PostgresPool.Options = .init(), index: VectorIndexPlan.Choice = .init(),
        vocabularyBytes: Int = 12 << 20, logger: Logger
    ) {
        vocabularyIndex = VocabularyIndex(mostBytes: vocabularyBytes)
        pool = PostgresPool(address, options: options)
        self.index = index
        self.logger = logger
    }

    package var spaces: PostgresSpaces { PostgresSpaces(store: self) }
    package var queue: PostgresQueue { PostgresQueue(store: self) }
    package var embeddings: PostgresEmbeddings { PostgresEmbeddings(store: self) }
    package var notes: PostgresNotes { PostgresNotes(store: self) }
    package var threads: PostgresThreads { PostgresThreads(store: self) }
    package var noteHistory: PostgresNoteHistory { PostgresNoteHistory(store: self) }
    package var changes: PostgresNoteChanges { PostgresNoteChanges(store: self) }
    package var sessions: PostgresSessions { PostgresSessions(store: self) }
    package var messages: PostgresMessages { PostgresMessages(store: self) }

    /// Keeps the vocabulary in memory, for a process that answers many questions.
    package func keepVocabulary() { vocabularyIndex.keep(self) }

    /// Triggers fill the queue, whatever process writes, and stay.
    package func keepTriggers() async throws { try await prepare() }

    /// Closes the connections; later calls fail.
    package func close() { pool.close() }

    /// Checks the server and its schema, and migrates the schema.
    ///
    /// - Throws: ``PostgresError``.
    package func prepare() async throws {
        guard !isMigrated.load(ordering: .acquiring) else { return }
        let task = migration.withLock { known in
            let task =
                known
                ?? Task { [pool, notes] in
                    try await PoolerCheck.run(pool)
                    try await PostgresSchema.migrate(pool)
                    try await PostgresRefolding.run(pool, notes)
                }
            known = task
            return task
        }
        do {
            try await task.value
            isMigrated.store(true, ordering: .releasing)
        } catch {
            migration.withLock { if $0 == task { $0 = nil } }
            throw error
        }
    }

    func read<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        try await prepare()
        return try await pool.read(body)
    }

    @discardableResult
    func write<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        try await prepare()
        return try await pool.write(body)
    }

    /// Runs one statement that only reads.
    func rows(_ sql: String, _ values: [PostgresValue] = []) async throws -> PostgresRows {
        try await read { try await $0.run(sql, values) }
    }

    /// The random name of the database, the same for all gateways.
    package func identity() async throws -> String {
        try await rows("SELECT value FROM meta WHERE key = 'identity'").text(0, 0) ?? ""
    }

    /// Shortens what only grows: the change table, and the totals of words. One gateway at a time does it.
    ///
    /// - Parameter kept: The newest entries of the change table to keep.
    package func maintain(keeping kept: Int64 = 500_000) async throws {
        try await write { connection in
            let lock = try await connection.run(
                "SELECT pg_try_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 1)])
            guard lock.bool(0, 0) == true else { return }
            try await connection.run(
                """
                WITH gone AS (DELETE FROM totals RETURNING *)
                INSERT INTO totals SELECT coalesce(sum(documents), 0), coalesce(sum(words), 0), coalesce(sum(bytes), 0)
                FROM gone
                """)
            try await connection.run(
                "DELETE FROM stem_holders WHERE (SELECT count(*) FROM stem_holders) > $1",
                [.integer(Int64(StemHolders.mostKept))])
            // Readers behind the last deleted transaction learn that they lack changes.
            try await connection.run(
                """
                WITH gone AS (
                    DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - $1 RETURNING transaction
                )
                INSERT INTO meta SELECT 'changes_cut', max(transaction)::text FROM gone HAVING count(*) > 0
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    WHERE excluded.value::xid8 > meta.value::xid8
                """, [.integer(kept)])
        }
    }
}

/// The numbers of runs that this process knows. Numbers never change, so entries never become wrong.
final class VocabularyCache: Sendable {
    /// The maximum number of runs; the cache starts anew beyond.
    static let limit = 400_000
    /// Longer runs are not kept.
    static let longest = 64

    private let known = Mutex<[String: Int32]>([:])

    func split(_ runs: some Sequence<String>) -> (known: [String: Int32], missing: [String]) {
        known.withLock { known in
            var (found, missing) = ([String: Int32](), [String]())
            for run in runs {
                if let id = known[run] { found[run] = id } else { missing.append(run) }
            }
            return (found, missing)
        }
    }

    func removeAll() { known.withLock { $0.removeAll() } }

    func add(_ runs: [String: Int32]) {
        known.withLock { known in
            if known.count + runs.count > Self.limit { known.removeAll() }
            for (run, id) in runs.prefix(Self.limit) where run.utf8.count <= Self.longest { known[run] = id }
        }
    }
}

extension PostgresStore: GatewayStore {}
