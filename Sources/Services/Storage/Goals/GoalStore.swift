import GRDB
import GatewayAPI
package import Goals
import Schedules

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
/// Each write records its ``GoalContext`` and brings the matches up to date in its transaction. Reads first match what other
/// programs wrote.
package struct GoalStore: Sendable {
    /// Rows that one transaction matches at most.
    static let matchBatch = 400

    let database: GatewayDatabase
    /// The person's zone and day start: for actions that another program wrote.
    package let rule: DayRule

    /// Creates a store.
    package init(_ database: GatewayDatabase, rule: DayRule) {
        self.database = database
        self.rule = rule
    }

    /// Reads in one snapshot, after changes of other programs were matched.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await settle()
        return try await database.read { database, layout in
            try layout.schema.goals.require()
            return try body(database)
        }
    }

    /// Writes in one transaction: everything or nothing.
    func write<Value: Sendable>(
        _ context: GoalContext, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let rule = rule
        return try await database.write { database, layout in
            try layout.schema.goals.require()
            try Self.set(context, database)
            let value = try body(database)
            _ = try GoalMatching(database, rule: rule).refresh(limit: Self.matchBatch)
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

    /// Matches what changed since the last look, in transactions of ``matchBatch`` rows; costs one small query when nothing did.
    package func settle() async throws {
        try await database.keepTriggers()
        while try await database.read({ try GoalMatching.isDue($0) }) {
            let rule = rule
            let isDone = try await database.writeRelaxed { database, layout in
                guard layout.schema.goals.fault == nil else { return true }
                try Self.set(GoalContext(turn: "matching", actor: "gateway"), database)
                let isDone = try GoalMatching(database, rule: rule).refresh(limit: Self.matchBatch)
                try database.execute(sql: "DELETE FROM gateway_goal_context")
                return isDone
            }
            if isDone { return }
        }
    }

    /// The number of the latest change of any row; results that depend on rows stay right while it is the same.
    package func version() async throws -> Int64 {
        try await read { try Scalar.integer($0, sql: "SELECT max(seq) FROM gateway_goal_history") ?? 0 }
    }
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

extension GatewayDatabase {
    /// Reads and writes goals; the rule fixes the days of actions that other programs wrote.
    package func goals(rule: DayRule) -> GoalStore { GoalStore(self, rule: rule) }
}
