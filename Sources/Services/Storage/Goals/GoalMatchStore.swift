import GRDB
package import GatewayAPI
import Goals

/// Which actions count for which goals: questions, decisions, the projection.
package struct GoalMatchStore: Sendable {
    let tables: GoalTables

    /// The number of questions that ``countQuestions()`` counts at most.
    static let maxCountedQuestions = 1000

    /// Returns a page of actions that may count for a goal, latest day first. The match is computed by the caller.
    package func questions(
        forGoal goal: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<(action: ActionRecord, goal: GoalRecord)> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { database in
            var conditions = ["m.state = 'asks'"]
            var arguments = StatementArguments()
            if let cursor, let id = cursor.id {
                conditions.append("m.day <= ? AND (m.day < ? OR m.goal_id || ' ' || m.action_id < ?)")
                arguments += [cursor.numbers[0], cursor.numbers[0], id]
            }
            if let goal {
                conditions.append("m.goal_id IN (?, upper(?), lower(?))")
                arguments += [goal, goal, goal]
            }
            arguments += [limit + 1]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT m.goal_id, m.action_id, m.day FROM gateway_goal_matches m
                    WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY m.day DESC, m.goal_id || ' ' || m.action_id DESC LIMIT ?
                    """, arguments: arguments)
            let keys = rows.map { row in
                let (goal, action) = (row.text(0) ?? "", row.text(1) ?? "")
                return (key: (goal, action), cursor: PageCursor(row.integer(2) ?? 0, id: "\(goal) \(action)"))
            }
            return try Page(keys, limit: limit, bytes: { _ in 4096 }) { goal, action in
                guard let found = try? GoalActionStore.action(action, database, withContributions: false),
                    let wanted = try? GoalRecordStore.goal(goal, database)
                else { return nil }
                return (found, wanted.record)
            }
        }
    }

    /// The number of open questions, counted up to a limit.
    package func countQuestions() async throws -> Int {
        try await tables.read { database in
            try Scalar.count(
                database,
                sql: "SELECT count(*) FROM (SELECT 1 FROM gateway_goal_matches WHERE state = 'asks' LIMIT ?)",
                arguments: [Self.maxCountedQuestions]) ?? 0
        }
    }

    /// Stores what a person says about an action and a goal; nil takes it back.
    package func decide(
        _ answer: String?, amount: Double?, action: String, goal: String, _ context: GoalContext
    ) async throws -> ActionRecord {
        try await tables.write(context) { database in
            let action = try GoalActionStore.action(action, database, withContributions: false).id
            let goal = try GoalRecordStore.goal(goal, database).record.id
            guard let answer else {
                return try database.execute(
                    sql: "DELETE FROM gateway_goal_decisions WHERE action_id = ? AND goal_id = ?",
                    arguments: [action, goal])
            }
            try database.execute(
                sql: """
                    INSERT INTO gateway_goal_decisions (action_id, goal_id, answer, amount, decided_at)
                    VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT (action_id, goal_id) DO UPDATE SET answer = ?3, amount = ?4, decided_at = ?5
                    """, arguments: [action, goal, answer, amount, Timestamp.milliseconds])
        }
        return try await GoalActionStore(tables: tables).find(action)
    }

    // MARK: Matching in steps

    /// Matches a bounded number of changed rows in one transaction. A worker repeats it while it returns false.
    ///
    /// - Returns: Whether nothing is left.
    package func step() async throws -> Bool {
        let isDue = try await tables.isDue()
        let isDone = isDue ? try await tables.step(GoalMatching.Work.background) : true
        tables.backlog.isBehind = !isDone
        return isDone
    }

    /// What a worker finds in one look; an equal look later finds nothing to do.
    package struct Look: Sendable, Hashable {
        /// Whether rows wait to be matched, or texts for a vector.
        package var isDue: Bool
        /// See ``GoalMatchStore/version()``.
        var version: [Int64]
        /// The space that answers queries; meanings follow it.
        var space: StoredSpace?
    }

    /// Looks for work of the worker; repairs triggers first if the schema changed.
    package func look() async throws -> Look {
        let database = tables.database
        while true {
            let (look, version) = try await database.read { database in
                let texts = try database.compiledRow("SELECT 1 FROM gateway_goal_texts LIMIT 1") != nil
                let look = Look(
                    isDue: try texts || GoalMatching.isDue(database), version: try Self.version(database),
                    space: try StoredSpace.active(in: database))
                return (look, try FileLayout.version(database))
            }
            guard try await database.keepTriggers(schemaVersion: version) else { return look }
        }
    }

    /// Says that a worker calls ``step()`` until further notice: reads then leave a backlog to it.
    package func setWorker(_ isRunning: Bool) { tables.backlog.hasWorker = isRunning }

    /// The number of actions and goals that wait to be matched; counted up to 100,000.
    package func waiting() async throws -> Int { try await tables.waiting() }

    /// Numbers that differ after each change of a goal or of any goal's matches.
    package func version() async throws -> [Int64] {
        try await tables.read { try Self.version($0) }
    }

    private static func version(_ database: Database) throws -> [Int64] {
        let row = try database.compiledRow(
            """
            SELECT (SELECT max(seq) FROM gateway_goal_history WHERE tbl = 'goals'),
            (SELECT total(revision) FROM gateway_goal_revisions), (SELECT count(*) FROM gateway_goal_revisions)
            """)
        // Another program may have stored a number beyond all integers.
        return (0..<3).map { row?.real($0).flatMap { Int64(exactly: $0.rounded()) } ?? 0 }
    }

    /// Counters of the changes of goals' matches, by id; 0 for goals that never had any.
    package func revisions(of goals: [String]) async throws -> [String: Int64] {
        guard !goals.isEmpty else { return [:] }
        return try await tables.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT goal_id, revision FROM gateway_goal_revisions
                    WHERE goal_id IN (\(databaseQuestionMarks(count: goals.count)))
                    """, arguments: StatementArguments(goals))
            return Dictionary(
                rows.compactMap { row in row.text(0).map { ($0, row.integer(1) ?? 0) } }, uniquingKeysWith: max)
        }
    }

    /// Computes all matches again.
    ///
    /// - Returns: The number of actions that count, and of rows that differed.
    package func rebuild() async throws -> (contributions: Int, changed: Int) {
        try await tables.matchChanges()
        let before = try await all()
        try await tables.database.write { database in
            try database.execute(
                sql: """
                    DELETE FROM gateway_goal_matches;
                    DELETE FROM gateway_goal_totals;
                    DELETE FROM gateway_goal_sweeps;
                    UPDATE gateway_goal_revisions SET revision = revision + 1;
                    DELETE FROM gateway_goal_dirty;
                    INSERT INTO gateway_goal_dirty (kind) VALUES ('everything');
                    """)
        }
        try await tables.matchChanges()
        let after = try await all()
        return (after.count { $0.contains(" counts ") }, before.symmetricDifference(after).count)
    }

    /// All matches and totals as texts, for comparison.
    package func all() async throws -> Set<String> {
        try await tables.read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM gateway_goal_matches")
            var found: Set<String> = []
            while let row = try rows.next() {
                let texts = ["goal_id", "action_id", "day", "state", "amount", "method", "confidence", "matched_on"]
                found.insert(texts.map { row.text($0) ?? "" }.joined(separator: " "))
            }
            let totals = try Row.fetchCursor(database, sql: "SELECT * FROM gateway_goal_totals")
            while let row = try totals.next() {
                let texts = ["goal_id", "day", "numerator", "denominator", "count"]
                found.insert("total " + texts.map { row.text($0) ?? "" }.joined(separator: " "))
            }
            return found
        }
    }
}
