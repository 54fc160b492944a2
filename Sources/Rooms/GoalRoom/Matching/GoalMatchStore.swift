package import Database
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
        return try await tables.read { session in
            let pair = "goal_id || ' ' || action_id"
            var parameters = SQLParameters()
            var conditions = ["state = 'asks'"]
            if let cursor, let id = cursor.id {
                let day = parameters.add(.integer(cursor.numbers[0]))
                conditions.append("day <= \(day) AND (day < \(day) OR \(pair) < \(parameters.add(id)))")
            }
            if let goal { conditions.append(GoalID.matches("goal_id", parameters.add(goal))) }
            let rows = try session.rows(
                """
                SELECT goal_id, action_id, day FROM gateway_goal_matches WHERE \(conditions.joined(separator: " AND "))
                ORDER BY day DESC, \(pair) DESC LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let keys = rows.map { row in
                let (goal, action) = (row.text(0) ?? "", row.text(1) ?? "")
                return (key: (goal, action), cursor: PageCursor(row.integer(2) ?? 0, id: "\(goal) \(action)"))
            }
            return try Page(keys, limit: limit, bytes: { _ in 4096 }) { goal, action in
                guard let found = try? GoalActionStore.action(action, session, withContributions: false),
                    let wanted = try? GoalRecordStore.goal(goal, session)
                else { return nil }
                return (found, wanted.record)
            }
        }
    }

    /// The number of open questions, counted up to a limit.
    package func countQuestions() async throws -> Int {
        try await tables.read { session in
            try session.first(
                "SELECT count(*) FROM (SELECT 1 FROM gateway_goal_matches WHERE state = 'asks' LIMIT $1) AS questions",
                [.count(Self.maxCountedQuestions)])?.count(0) ?? 0
        }
    }

    /// Stores what a person says about an action and a goal; nil takes it back.
    package func decide(
        _ answer: String?, amount: Double?, action: String, goal: String, _ context: GoalContext
    ) async throws -> ActionRecord {
        try await tables.write(context) { session in
            let action = try GoalActionStore.action(action, session, withContributions: false).id
            let goal = try GoalRecordStore.goal(goal, session).record.id
            guard let answer else {
                try session.run(
                    "DELETE FROM gateway_goal_decisions WHERE action_id = $1 AND goal_id = $2",
                    [.text(action), .text(goal)])
                return
            }
            try session.run(
                """
                INSERT INTO gateway_goal_decisions (action_id, goal_id, answer, amount, decided_at)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (action_id, goal_id) DO UPDATE SET answer = $3, amount = $4, decided_at = $5
                """,
                [.text(action), .text(goal), .text(answer), .real(amount), .integer(try session.clock().now)])
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
    }

    /// Looks for work of the worker; repairs triggers first if the schema changed.
    package func look() async throws -> Look {
        while true {
            let (look, version) = try await tables.store.snapshot { session in
                let texts = try session.first("SELECT 1 FROM gateway_goal_texts LIMIT 1") != nil
                let look = Look(
                    isDue: try texts || GoalMatching.isDue(session), version: try Self.version(session))
                return (look, try GoalSchema.version(session))
            }
            guard try await tables.keepTriggers(version) else { return look }
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

    private static func version(_ session: any SQLSession) throws -> [Int64] {
        let row = try session.first(
            """
            SELECT (SELECT max(seq) FROM gateway_goal_history WHERE tbl = 'goals'),
            (SELECT sum(CAST(revision AS \(session.dialect.real))) FROM gateway_goal_revisions),
            (SELECT count(*) FROM gateway_goal_revisions)
            """)
        // Another program may have stored a number beyond all integers.
        return (0..<3).map { row?.real($0).flatMap { Int64(exactly: $0.rounded()) } ?? 0 }
    }

    /// Counters of the changes of goals' matches, by id; 0 for goals that never had any.
    package func revisions(of goals: [String]) async throws -> [String: Int64] {
        guard !goals.isEmpty else { return [:] }
        return try await tables.read { session in
            let isWanted = "goal_id IN \(session.dialect.texts("$1"))"
            let rows = try session.rows(
                "SELECT goal_id, revision FROM gateway_goal_revisions WHERE \(isWanted)", [.texts(goals)])
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
        try await tables.store.transaction { session in
            try session.lock(GoalTables.lock)
            for table in ["matches", "totals", "sweeps"] { try session.run("DELETE FROM gateway_goal_\(table)") }
            try session.run("UPDATE gateway_goal_revisions SET revision = revision + 1")
            try GoalMatching.markEverything(session)
        }
        try await tables.matchChanges()
        let after = try await all()
        return (after.count { $0.contains(" counts ") }, before.symmetricDifference(after).count)
    }

    /// All matches and totals as texts, for comparison.
    package func all() async throws -> Set<String> {
        try await tables.read { session in
            let matches = try session.rows(.match, "FROM gateway_goal_matches m")
            let totals = try session.rows(
                GoalColumns(["goal_id", "day", "numerator", "denominator", "count"]), "FROM gateway_goal_totals")
            func text(_ row: GoalRow, _ columns: [String]) -> String {
                columns.map { row.text($0) ?? "" }.joined(separator: " ")
            }
            return Set(matches.map { text($0, GoalColumns.match.names) })
                .union(totals.map { "total " + text($0, ["goal_id", "day", "numerator", "denominator", "count"]) })
        }
    }
}
