extension Migrations {
    /// Matching in steps, and its results by day.
    ///
    /// A row of `gateway_goal_sweeps` is a goal whose actions are being matched, and the last action that was.
    /// `gateway_goal_totals` has the exact sum of what counts for a goal on a day, as a fraction; without one if it needs more
    /// than 128 bits. `gateway_goal_revisions` counts the changes of a goal's matches. Everything is matched once more, which
    /// fills both.
    static let goalMatching = """
        CREATE TABLE gateway_goal_sweeps (
            goal_id TEXT PRIMARY KEY NOT NULL,
            day TEXT NOT NULL,
            at INTEGER NOT NULL,
            action_id TEXT NOT NULL
        );
        CREATE TABLE gateway_goal_totals (
            goal_id TEXT NOT NULL,
            day INTEGER NOT NULL,
            numerator,
            denominator,
            count INTEGER NOT NULL,
            PRIMARY KEY (goal_id, day)
        ) WITHOUT ROWID;
        CREATE TABLE gateway_goal_revisions (
            goal_id TEXT PRIMARY KEY NOT NULL,
            revision INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX gateway_goal_history_table ON gateway_goal_history (tbl, seq);
        DELETE FROM gateway_goal_matches;
        DELETE FROM gateway_goal_dirty WHERE kind = 'everything';
        INSERT INTO gateway_goal_dirty (kind) VALUES ('everything');
        """
}
