import GRDB
import GoalRoom

extension Migrations {
    /// Goals. The first tables are those of Ten Week Goal, with its names and columns: a file that has them is used as it is.
    /// What that app does not store lies in tables of our own, so that no table of the app is altered.
    static func goals(_ database: Database) throws {
        try database.execute(sql: originalGoalTables)
        try database.execute(sql: goalTables)
        try database.execute(sql: goalHistory)
        let schema = try GoalSchema(SQLiteSession(database))
        for trigger in GoalTriggers.all(schema) { try database.execute(sql: trigger.sql) }
        try GoalBaseline.reconcile(database, schema)
    }

    private static let originalGoalTables = """
        CREATE TABLE IF NOT EXISTS actions (
            uuid_id TEXT PRIMARY KEY,
            title TEXT,
            description TEXT,
            notes TEXT,
            log_time TEXT NOT NULL,
            measurement_units_by_amount TEXT,
            start_time TEXT,
            duration_minutes REAL
        );
        CREATE TABLE IF NOT EXISTS goals (
            uuid_id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            notes TEXT,
            log_time TEXT NOT NULL,
            goal_type TEXT NOT NULL DEFAULT 'Goal',
            measurement_target REAL,
            measurement_unit TEXT,
            start_date TEXT,
            target_date TEXT,
            how_goal_is_relevant TEXT,
            how_goal_is_actionable TEXT,
            expected_term_length INTEGER
        );
        CREATE TABLE IF NOT EXISTS personal_values (
            uuid_id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            notes TEXT,
            log_time TEXT NOT NULL,
            incentive_type TEXT NOT NULL,
            priority INTEGER NOT NULL DEFAULT 50,
            life_domain TEXT DEFAULT 'General',
            alignment_guidance TEXT
        );
        CREATE TABLE IF NOT EXISTS terms (
            uuid_id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            description TEXT,
            notes TEXT,
            term_number INTEGER NOT NULL UNIQUE,
            start_date TEXT NOT NULL,
            target_date TEXT NOT NULL,
            theme TEXT,
            reflection TEXT,
            created_at TEXT DEFAULT CURRENT_TIMESTAMP,
            updated_at TEXT DEFAULT CURRENT_TIMESTAMP
        );
        CREATE TABLE IF NOT EXISTS term_goal_assignments (
            term_uuid TEXT NOT NULL,
            goal_uuid TEXT NOT NULL,
            assignment_order INTEGER,
            created_at TEXT DEFAULT CURRENT_TIMESTAMP,
            PRIMARY KEY (term_uuid, goal_uuid),
            FOREIGN KEY (term_uuid) REFERENCES terms(uuid_id) ON DELETE CASCADE,
            FOREIGN KEY (goal_uuid) REFERENCES goals(uuid_id) ON DELETE CASCADE
        );
        """

    /// `gateway_goal_days` fixes the day of an action; `at` is its time in milliseconds, for the order within the day.
    /// `gateway_goal_matches` is a projection: it can be computed again from the other tables. Days there are numbers since
    /// 1970.
    private static let goalTables = """
        CREATE TABLE gateway_goal_days (
            action_id TEXT PRIMARY KEY NOT NULL,
            day TEXT NOT NULL,
            at INTEGER NOT NULL,
            zone TEXT NOT NULL,
            day_start INTEGER NOT NULL
        );
        CREATE INDEX gateway_goal_days_order ON gateway_goal_days (day, at, action_id);
        CREATE TABLE gateway_goal_details (
            goal_id TEXT PRIMARY KEY NOT NULL,
            importance INTEGER NOT NULL,
            urgency INTEGER NOT NULL,
            requested_by TEXT,
            consequence TEXT,
            rule TEXT,
            schedule TEXT
        );
        CREATE TABLE gateway_goal_targets (
            goal_id TEXT NOT NULL,
            from_day TEXT NOT NULL,
            amount REAL NOT NULL,
            PRIMARY KEY (goal_id, from_day)
        );
        CREATE TABLE gateway_goal_schedules (
            goal_id TEXT NOT NULL,
            from_day TEXT NOT NULL,
            schedule TEXT NOT NULL,
            PRIMARY KEY (goal_id, from_day)
        );
        CREATE TABLE gateway_goal_skips (
            goal_id TEXT NOT NULL,
            day TEXT NOT NULL,
            PRIMARY KEY (goal_id, day)
        );
        CREATE TABLE gateway_goal_relevances (
            goal_id TEXT NOT NULL,
            value_id TEXT NOT NULL,
            alignment INTEGER NOT NULL,
            notes TEXT,
            PRIMARY KEY (goal_id, value_id)
        );
        CREATE INDEX gateway_goal_relevances_value ON gateway_goal_relevances (value_id, goal_id);
        CREATE TABLE gateway_goal_terms (
            term_id TEXT PRIMARY KEY NOT NULL,
            status TEXT NOT NULL
        );
        CREATE TABLE gateway_goal_measures (
            id TEXT PRIMARY KEY NOT NULL,
            unit TEXT NOT NULL UNIQUE,
            title TEXT,
            description TEXT,
            notes TEXT,
            log_time TEXT NOT NULL,
            kind TEXT NOT NULL,
            canonical_unit TEXT NOT NULL,
            conversion_factor REAL NOT NULL
        );
        CREATE TABLE gateway_goal_decisions (
            action_id TEXT NOT NULL,
            goal_id TEXT NOT NULL,
            answer TEXT NOT NULL,
            amount REAL,
            decided_at INTEGER NOT NULL,
            PRIMARY KEY (action_id, goal_id)
        );
        CREATE INDEX gateway_goal_decisions_goal ON gateway_goal_decisions (goal_id, action_id);
        CREATE TABLE gateway_goal_matches (
            goal_id TEXT NOT NULL,
            action_id TEXT NOT NULL,
            day INTEGER NOT NULL,
            state TEXT NOT NULL,
            amount REAL NOT NULL,
            method TEXT NOT NULL,
            confidence REAL NOT NULL,
            matched_on TEXT NOT NULL,
            PRIMARY KEY (goal_id, action_id)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_goal_matches_action ON gateway_goal_matches (action_id, state, goal_id);
        CREATE INDEX gateway_goal_matches_goal ON gateway_goal_matches (goal_id, state, day, amount);
        CREATE INDEX gateway_goal_matches_state ON gateway_goal_matches (state, day, goal_id, action_id);
        CREATE TABLE gateway_goal_dirty (kind TEXT NOT NULL, id);
        CREATE INDEX gateway_goal_dirty_id ON gateway_goal_dirty (kind, id);
        CREATE TABLE gateway_goal_proposals (
            id TEXT PRIMARY KEY NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            state TEXT NOT NULL,
            turn_key TEXT UNIQUE,
            body TEXT NOT NULL
        );
        CREATE INDEX gateway_goal_proposals_order ON gateway_goal_proposals (created_at, id);
        CREATE INDEX gateway_goal_proposals_state ON gateway_goal_proposals (state, created_at, id);
        """

    /// A row is one change of one row. `names` lists the columns; `o0`… are their values before, `n0`… after, without an
    /// affinity, so that every value comes back to the last bit. `entity` and `part` are the row's key.
    /// ``gateway_goal_context`` says who writes, during a transaction of ours.
    private static var goalHistory: String {
        let values = ["o", "n"].flatMap { mark in (0..<GoalSchema.maxColumns).map { "\(mark)\($0)" } }
        return """
            CREATE TABLE gateway_goal_context (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                turn TEXT,
                actor TEXT,
                reason TEXT
            );
            CREATE TABLE gateway_goal_history (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                at INTEGER,
                tbl TEXT,
                entity,
                part,
                op TEXT,
                turn TEXT,
                actor TEXT,
                reason TEXT,
                names TEXT,
                \(values.joined(separator: ",\n"))
            );
            CREATE INDEX gateway_goal_history_row ON gateway_goal_history (tbl, entity, part, seq);
            CREATE INDEX gateway_goal_history_entity ON gateway_goal_history (entity, seq);
            CREATE INDEX gateway_goal_history_turn ON gateway_goal_history (turn, seq);
            CREATE INDEX gateway_goal_history_at ON gateway_goal_history (at);
            """
    }
}
