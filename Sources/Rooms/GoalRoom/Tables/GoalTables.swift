import Database
import Goals
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
struct GoalTables: Sendable {
    /// The lock of those who write goals, so that each transaction has its own ``GoalContext``.
    static let lock = "gateway_goals"

    let store: any SQLStore
    /// What this process knows about rows that wait.
    let backlog = MatchingBacklog()
    /// The person's zone and day start: for actions that another program wrote.
    let rule: DayRule
    /// See ``GoalRoom/init(_:rule:keepTriggers:)``.
    let keepTriggers: @Sendable (_ version: Int64) async throws -> Bool
    private let layout = GoalLayout()

    init(
        _ store: any SQLStore, rule: DayRule, keepTriggers: @escaping @Sendable (_ version: Int64) async throws -> Bool
    ) {
        (self.store, self.rule, self.keepTriggers) = (store, rule, keepTriggers)
    }

    /// Reads in one snapshot, after some changes of other programs were matched.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await catchUp()
        return try await store.snapshot { [layout] session in
            try layout.current(session).require()
            return try body(session)
        }
    }

    /// Whether a table of what a person writes has a row; false where the file cannot have goals. Costs one small read.
    func isUsed() async throws -> Bool {
        try await store.snapshot { [layout] session in
            let schema = try layout.current(session)
            guard schema.hasHistory, schema.fault == nil else { return false }
            return try ["actions", "goals", "personal_values", "terms"].contains {
                try !session.rows("SELECT 1 FROM \($0) LIMIT 1").isEmpty
            }
        }
    }

    /// Writes in one transaction: everything or nothing.
    func write<Value: Sendable>(
        _ context: GoalContext, _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await write(context, matches: true) { session, _ in try body(session) }
    }

    /// Writes in one transaction, and passes the tables and columns of the file.
    ///
    /// - Parameter matches: Whether what changed is matched in the transaction, up to a bound; else a later step does.
    func write<Value: Sendable>(
        _ context: GoalContext, matches: Bool,
        _ body: @escaping @Sendable (any SQLSession, GoalSchema) throws -> Value
    ) async throws -> Value {
        try await store.transaction { [rule, layout] session in
            let schema = try layout.current(session)
            try schema.require()
            return try Self.recording(context, session) {
                let value = try body(session, schema)
                if matches { _ = try GoalMatching(session, rule: rule).step(GoalMatching.Work.write) }
                return value
            }
        }
    }

    /// Runs a body whose changes are recorded with a context.
    static func recording<Value>(
        _ context: GoalContext, _ session: any SQLSession, _ body: () throws -> Value
    ) throws -> Value {
        try session.lock(Self.lock)
        try session.run("DELETE FROM gateway_goal_context")
        try session.run(
            "INSERT INTO gateway_goal_context (id, turn, actor, reason) VALUES (1, $1, $2, $3)",
            [.text(context.turn), .text(context.actor), .text(context.reason)])
        let value = try body()
        try session.run("DELETE FROM gateway_goal_context")
        return value
    }

    /// Matches everything that changed since the last look, in transactions of a bounded number of rows; costs one small query
    /// when nothing did.
    func matchChanges() async throws {
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
        let (isDue, version) = try await store.snapshot { (try GoalMatching.isDue($0), try GoalSchema.version($0)) }
        guard try await keepTriggers(version) else { return isDue }
        return try await store.snapshot { try GoalMatching.isDue($0) }
    }

    /// Matches changed rows in one transaction.
    ///
    /// - Returns: Whether nothing is left, or the file cannot have goals.
    func step(_ work: Int) async throws -> Bool {
        try await store.relaxedTransaction { [rule, layout] session in
            guard try layout.current(session).fault == nil else { return true }
            return try Self.recording(GoalContext(turn: "matching", actor: "gateway"), session) {
                try GoalMatching(session, rule: rule).step(work)
            }
        }
    }

    /// Writes what can be made again; nothing where the file cannot have goals.
    func keep(_ body: @escaping @Sendable (any SQLSession) throws -> Void) async throws {
        try await store.relaxedTransaction { [layout] session in
            try session.lock(Self.lock)
            guard try layout.current(session).fault == nil else { return }
            try body(session)
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
    func delete(_ resource: String, _ id: String, _ context: GoalContext) async throws {
        let (table, key) =
            switch resource {
            case "actions": ("actions", "uuid_id")
            case "values": ("personal_values", "uuid_id")
            case "terms": ("terms", "uuid_id")
            case "measures": ("gateway_goal_measures", "id")
            default: ("goals", "uuid_id")
            }
        try await write(context) { session in
            let count = try session.run("DELETE FROM \(table) WHERE \(GoalID.matches(key))", [.text(id)])
            guard count > 0 else { throw StorageError(.notFound, "there is no row \(id) in \(resource)") }
        }
    }

    // MARK: Writing rows

    static func insert(_ table: String, _ columns: [(String, SQLValue)], _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO \(table) (\(columns.map(\.0.quotedName).joined(separator: ", ")))
            VALUES (\(columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
            """, columns.map(\.1))
    }

    /// Writes the columns that differ, so that the others keep what other programs wrote, to the byte.
    static func update(
        _ table: String, _ key: String, _ id: String, from old: [(String, SQLValue)], to new: [(String, SQLValue)],
        _ session: any SQLSession
    ) throws {
        let changed = zip(old, new).filter { $0.0.1 != $0.1.1 && $0.0.0 != key }.map(\.1)
        guard !changed.isEmpty else { return }
        var parameters = SQLParameters()
        let columns = changed.map { "\($0.0) = \(parameters.add($0.1))" }.joined(separator: ", ")
        let isRow = "\(key) = \(parameters.add(id))"
        try session.run("UPDATE \(table) SET \(columns) WHERE \(isRow)", parameters.values)
    }

    /// The number of the latest change of each row.
    static func versions(of ids: [String], _ session: any SQLSession) throws -> [String: Int64] {
        guard !ids.isEmpty else { return [:] }
        let rows = try session.rows(
            """
            SELECT entity, max(seq) FROM gateway_goal_history
            WHERE entity IN \(session.dialect.texts("$1")) GROUP BY entity
            """, [.texts(ids)])
        return Dictionary(
            rows.compactMap { row in row.text(0).map { ($0, row.integer(1) ?? 0) } }, uniquingKeysWith: max)
    }
}

/// The tables and columns of the latest snapshot; another program may change those of a file at any time.
private final class GoalLayout: Sendable {
    private let latest = Mutex<(version: Int64, schema: GoalSchema)?>(nil)

    /// The tables of a session's snapshot, read again when the schema has changed.
    func current(_ session: any SQLSession) throws -> GoalSchema {
        let version = try GoalSchema.version(session)
        if let known = latest.withLock({ $0 }), known.version == version { return known.schema }
        let schema = try GoalSchema(session)
        latest.withLock { $0 = (version, schema) }
        return schema
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

/// SQL for ids: letters of either case are the same UUID.
enum GoalID {
    /// The condition that a column is one of the spellings of a parameter.
    static func matches(_ column: String, _ parameter: String = "$1") -> String {
        "\(column) IN (\(parameter), upper(\(parameter)), lower(\(parameter)))"
    }

    /// The condition that a column holds a text in the form of a UUID.
    static func isUUID(_ column: String, _ dialect: SQLDialect) -> String {
        "(\(isText(column, dialect)) AND \(column) LIKE '________-____-____-____-____________')"
    }

    /// The condition that a column holds a text: in a file another program may have written any kind.
    static func isText(_ column: String, _ dialect: SQLDialect) -> String {
        dialect == .sqlite ? "typeof(\(column)) = 'text'" : "\(column) IS NOT NULL"
    }
}
