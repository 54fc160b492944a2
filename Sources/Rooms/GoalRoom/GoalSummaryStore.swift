import Database

/// The progress of a goal for lists, as it was computed last.
package struct GoalSummary: Sendable, Hashable {
    /// The goal's id.
    package let goal: String
    /// What it depends on: with another stamp it is of no use.
    package let stamp: String
    /// The progress as JSON.
    package let body: String

    package init(goal: String, stamp: String, body: String) {
        self.goal = goal
        self.stamp = stamp
        self.body = body
    }
}

/// Keeps summaries, one for each goal. They can be deleted at any time: readers then compute them again.
package struct GoalSummaryStore: Sendable {
    let tables: GoalTables

    /// Returns the summaries of goals, by id. A row that is no summary is absent.
    package func find(_ goals: [String]) async throws -> [String: GoalSummary] {
        guard !goals.isEmpty else { return [:] }
        return try await tables.read { session in
            let isWanted = "goal_id IN \(session.dialect.texts("$1"))"
            let rows = try session.rows(
                "SELECT goal_id, stamp, body FROM gateway_goal_summaries WHERE \(isWanted)", [.texts(goals)])
            let found = rows.compactMap { row -> GoalSummary? in
                guard let goal = row.text(0), let stamp = row.text(1), let body = row.text(2) else { return nil }
                return GoalSummary(goal: goal, stamp: stamp, body: body)
            }
            return Dictionary(found.map { ($0.goal, $0) }) { first, _ in first }
        }
    }

    /// Stores summaries, and deletes those of goals that are gone.
    package func keep(_ summaries: [GoalSummary]) async throws {
        try await tables.keep { session in
            for summary in summaries {
                try session.run(
                    """
                    INSERT INTO gateway_goal_summaries (goal_id, stamp, body) VALUES ($1, $2, $3)
                    ON CONFLICT (goal_id) DO UPDATE SET stamp = $2, body = $3
                    """, [.text(summary.goal), .text(summary.stamp), .text(summary.body)])
            }
            try session.run(
                """
                DELETE FROM gateway_goal_summaries
                WHERE goal_id NOT IN (SELECT uuid_id FROM goals WHERE uuid_id IS NOT NULL)
                """)
        }
    }
}
