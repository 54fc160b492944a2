extension Migrations {
    /// The progress of goals for lists, as it was computed last: `stamp` says for which state of the goal, its matches and the
    /// day.
    static let goalSummaries = """
        CREATE TABLE gateway_goal_summaries (
            goal_id TEXT PRIMARY KEY NOT NULL,
            stamp TEXT NOT NULL,
            body TEXT NOT NULL
        ) WITHOUT ROWID;
        """
}
