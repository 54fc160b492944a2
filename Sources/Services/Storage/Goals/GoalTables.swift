import GRDB
import GatewayAPI
package import Goals
import Schedules
import Synchronization

/// Who writes, why, and in which turn: recorded with each change.
package struct GoalContext: Sendable, Hashable {
    /// The turn of a conversation, or the request; changes of one turn are undone together.
    package var turn: String
    /// A key's name, `chat`, `import`.
    package var actor: String?
    /// Why.
    package var reason: String?

    /// Creates a context; texts beyond 200 bytes are cut.
    package init(turn: String, actor: String? = nil, reason: String? = nil) {
        func cut(_ text: String) -> String { text.utf8.count <= 200 ? text : String(text.prefix(50)) }
        self.turn = cut(turn)
        self.actor = actor.map(cut)
        self.reason = reason.map(cut)
    }
}

/// Reads and writes values, goals, terms, actions and measures, and the history of their changes.
///
/// Each write records its ``GoalContext`` and matches what it changed in its transaction, up to a bound. Reads first match a
/// bounded number of rows that other programs wrote; the rest waits for a ``GoalMatchStore/step()`` of a worker, or for the
/// next read where there is none.
package struct GoalTables: Sendable {
    let database: GatewayDatabase
    /// What this process knows about rows that wait.
    let backlog = MatchingBacklog()
    /// The person's zone and day start: for actions that another program wrote.
    package let rule: DayRule

    /// Creates a store.
    package init(_ database: GatewayDatabase, rule: DayRule) {
        self.database = database
        self.rule = rule
    }

    /// Reads in one snapshot, after some changes of other programs were matched.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await catchUp()
        return try await database.read { database, layout in
            try layout.schema.goals.require()
            return try body(database)
        }
    }

    /// Writes in one transaction: everything or nothing.
    func write<Value: Sendable>(
        _ context: GoalContext, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await write(context, matches: true) { database, _ in try body(database) }
    }

    /// Writes in one transaction, and passes the tables and columns of the file.
    ///
    /// - Parameter matches: Whether what changed is matched in the transaction, up to a bound; else a later step does.
    func write<Value: Sendable>(
        _ context: GoalContext, matches: Bool, _ body: @escaping @Sendable (Database, GoalSchema) throws -> Value
    ) async throws -> Value {
        let rule = rule
        return try await database.write { database, layout in
            try layout.schema.goals.require()
            try Self.set(context, database)
            let value = try body(database, layout.schema.goals)
            if matches { _ = try GoalMatching(database, rule: rule).step(GoalMatching.Work.write) }
            try database.execute(sql: "DELETE FROM gateway_goal_context")
            return value
        }
    }

    static func set(_ context: GoalContext, _ database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM gateway_goal_context;
                INSERT INTO gateway_goal_context (id, turn, actor, reason) VALUES (1, ?, ?, ?)
                """, arguments: [context.turn, context.actor, context.reason])
    }

    /// Matches everything that changed since the last look, in transactions of a bounded number of rows; costs one small query
    /// when nothing did.
    package func matchChanges() async throws {
        while try await isDue() {
            if try await step(GoalMatching.Work.background) { return }
        }
    }

    /// Matches what one read may wait for. With a worker, only the first read of a backlog does.
    private func catchUp() async throws {
        guard try await isDue() else { return }
        guard !backlog.isLeftToWorker else { return }
        backlog.isBehind = try await !step(GoalMatching.Work.read)
    }

    /// Whether anything is left to match. Repairs triggers first if the schema changed.
    func isDue() async throws -> Bool {
        let (isDue, version) = try await database.read { (try GoalMatching.isDue($0), try FileLayout.version($0)) }
        guard try await database.keepTriggers(schemaVersion: version) else { return isDue }
        try await database.keepTriggers()
        return try await database.read { try GoalMatching.isDue($0) }
    }

    /// Matches changed rows in one transaction.
    ///
    /// - Returns: Whether nothing is left, or the file cannot have goals.
    func step(_ work: Int) async throws -> Bool {
        let rule = rule
        return try await database.writeRelaxed { database, layout in
            guard layout.schema.goals.fault == nil else { return true }
            try Self.set(GoalContext(turn: "matching", actor: "gateway"), database)
            let isDone = try GoalMatching(database, rule: rule).step(work)
            try database.execute(sql: "DELETE FROM gateway_goal_context")
            return isDone
        }
    }

    /// The number of rows that wait to be matched, after a read's share of them was; counted up to
    /// ``GoalMatching/maxCounted``.
    func waiting() async throws -> Int {
        try await read { try GoalMatching.waiting($0) }
    }

    /// Deletes a row by its id; what belongs to it stays for an undo.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ resource: String, _ id: String, _ context: GoalContext) async throws {
        let (table, key) =
            switch resource {
            case "actions": ("actions", "uuid_id")
            case "values": ("personal_values", "uuid_id")
            case "terms": ("terms", "uuid_id")
            case "measures": ("gateway_goal_measures", "id")
            default: ("goals", "uuid_id")
            }
        try await write(context) { database in
            try database.execute(
                sql: "DELETE FROM \(table) WHERE \(GoalID.matches(key))", arguments: [id])
            guard database.changesCount > 0 else {
                throw StorageError(.notFound, "there is no row \(id) in \(resource)")
            }
        }
    }

    // MARK: Writing rows

    static func insert(_ table: String, _ columns: [(String, DatabaseValue)], _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO \(table) (\(columns.map(\.0).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: columns.count)))
                """, arguments: StatementArguments(columns.map(\.1)))
    }

    /// Writes the columns that differ, so that the others keep what other programs wrote, to the byte.
    static func update(
        _ table: String, _ key: String, _ id: String, from old: [(String, DatabaseValue)],
        to new: [(String, DatabaseValue)], _ database: Database
    ) throws {
        let changed = zip(old, new).filter { $0.0.1 != $0.1.1 && $0.0.0 != key }.map(\.1)
        guard !changed.isEmpty else { return }
        try database.execute(
            sql: "UPDATE \(table) SET \(changed.map { "\($0.0) = ?" }.joined(separator: ", ")) WHERE \(key) = ?",
            arguments: StatementArguments(changed.map(\.1) + [id.databaseValue]))
    }

    /// The number of the latest change of each row.
    static func versions(of ids: [String], _ database: Database) throws -> [String: Int64] {
        guard !ids.isEmpty else { return [:] }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT entity, max(seq) FROM gateway_goal_history
                WHERE entity IN (\(databaseQuestionMarks(count: ids.count))) GROUP BY entity
                """, arguments: StatementArguments(ids))
        return Dictionary(
            rows.compactMap { row in row.text(0).map { ($0, row.integer(1) ?? 0) } }, uniquingKeysWith: max)
    }
}

/// What a process knows about rows that wait to be matched.
final class MatchingBacklog: Sendable {
    private struct State {
        var isBehind = false
        var hasWorker = false
    }

    private let state = Mutex(State())

    /// Whether rows were left after a step.
    var isBehind: Bool {
        get { state.withLock { $0.isBehind } }
        set { state.withLock { $0.isBehind = newValue } }
    }

    /// Whether a worker of this process matches what waits.
    var hasWorker: Bool {
        get { state.withLock { $0.hasWorker } }
        set { state.withLock { $0.hasWorker = newValue } }
    }

    /// Whether reads need not match anything: a worker does.
    var isLeftToWorker: Bool { state.withLock { $0.isBehind && $0.hasWorker } }
}

extension Optional where Wrapped: DatabaseValueConvertible {
    /// The value for a column; NULL for nil.
    var stored: DatabaseValue { self?.databaseValue ?? .null }
}

/// SQL for ids: letters of either case are the same UUID.
enum GoalID {
    /// The condition that a column is one of the spellings of the parameter `?1`.
    static func matches(_ column: String, _ parameter: String = "?1") -> String {
        "\(column) IN (\(parameter), upper(\(parameter)), lower(\(parameter)))"
    }

    /// The condition that a column holds a text in the form of a UUID.
    static func isUUID(_ column: String) -> String {
        "(typeof(\(column)) = 'text' AND \(column) LIKE '________-____-____-____-____________')"
    }

    /// Creates a random UUID as the original app writes them.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return EntityID(using: &generator).description
    }
}
