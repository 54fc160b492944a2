package import Database

extension GoalRoom {
    /// A file has its tables of earlier steps, of which the first ones are those of Ten Week Goal.
    package static let migrations = [
        Migration("gateway-43-goals", only: .postgres) { session in
            for statement in postgresTables { try session.run(statement) }
            for table in GoalTable.all {
                let columns = try GoalSchema.names(of: table.name, session)
                for statement in trigger(of: table, columns) { try session.run(statement) }
            }
        }
    ]

    /// Keys, times and days are those of a file. Each value of the history is a text.
    private static var postgresTables: [String] {
        let words = SQLDialect.postgres
        let (text, integer, real, bytes) = (words.text, words.integer, words.real, words.bytes)
        let heading = "title \(text) NOT NULL, description \(text), notes \(text)"
        let optional = "title \(text), description \(text), notes \(text)"
        let values = ["o", "n"].flatMap { mark in (0..<GoalSchema.maxColumns).map { "\(mark)\($0) \(text)" } }
        let tables = [
            "actions": """
            uuid_id \(text) PRIMARY KEY, \(optional), log_time \(text) NOT NULL, measurement_units_by_amount \(text),
            start_time \(text), duration_minutes \(real)
            """,
            "goals": """
            uuid_id \(text) PRIMARY KEY, \(heading), log_time \(text) NOT NULL,
            goal_type \(text) NOT NULL DEFAULT 'Goal', measurement_target \(real), measurement_unit \(text),
            start_date \(text), target_date \(text), how_goal_is_relevant \(text), how_goal_is_actionable \(text),
            expected_term_length \(integer)
            """,
            "personal_values": """
            uuid_id \(text) PRIMARY KEY, \(heading), log_time \(text) NOT NULL, incentive_type \(text) NOT NULL,
            priority \(integer) NOT NULL DEFAULT 50, life_domain \(text) DEFAULT 'General',
            alignment_guidance \(text)
            """,
            "terms": """
            uuid_id \(text) PRIMARY KEY, \(heading), term_number \(integer) NOT NULL UNIQUE,
            start_date \(text) NOT NULL, target_date \(text) NOT NULL, theme \(text), reflection \(text),
            created_at \(text) DEFAULT \(now), updated_at \(text) DEFAULT \(now)
            """,
            "term_goal_assignments": """
            term_uuid \(text) NOT NULL, goal_uuid \(text) NOT NULL, assignment_order \(integer),
            created_at \(text) DEFAULT \(now), PRIMARY KEY (term_uuid, goal_uuid)
            """,
            "gateway_goal_days": """
            action_id \(text) PRIMARY KEY, day \(text) NOT NULL, at \(integer) NOT NULL, zone \(text) NOT NULL,
            day_start \(integer) NOT NULL
            """,
            "gateway_goal_details": """
            goal_id \(text) PRIMARY KEY, importance \(integer) NOT NULL, urgency \(integer) NOT NULL,
            requested_by \(text), consequence \(text), rule \(text), schedule \(text)
            """,
            "gateway_goal_targets": """
            goal_id \(text), from_day \(text), amount \(real) NOT NULL, PRIMARY KEY (goal_id, from_day)
            """,
            "gateway_goal_schedules": """
            goal_id \(text), from_day \(text), schedule \(text) NOT NULL, PRIMARY KEY (goal_id, from_day)
            """,
            "gateway_goal_skips": "goal_id \(text), day \(text), PRIMARY KEY (goal_id, day)",
            "gateway_goal_reminders": "goal_id \(text) PRIMARY KEY, at \(text) NOT NULL, weekdays \(text)",
            "gateway_goal_relevances": """
            goal_id \(text), value_id \(text), alignment \(integer) NOT NULL, notes \(text),
            PRIMARY KEY (goal_id, value_id)
            """,
            "gateway_goal_terms": "term_id \(text) PRIMARY KEY, status \(text) NOT NULL",
            "gateway_goal_measures": """
            id \(text) PRIMARY KEY, unit \(text) NOT NULL UNIQUE, \(optional), log_time \(text) NOT NULL,
            kind \(text) NOT NULL, canonical_unit \(text) NOT NULL, conversion_factor \(real) NOT NULL
            """,
            "gateway_goal_decisions": """
            action_id \(text), goal_id \(text), answer \(text) NOT NULL, amount \(real),
            decided_at \(integer) NOT NULL, PRIMARY KEY (action_id, goal_id)
            """,
            "gateway_goal_matches": """
            goal_id \(text), action_id \(text), day \(integer) NOT NULL, state \(text) NOT NULL,
            amount \(real) NOT NULL, method \(text) NOT NULL, confidence \(real) NOT NULL,
            matched_on \(text) NOT NULL, PRIMARY KEY (goal_id, action_id)
            """,
            "gateway_goal_dirty": "seq \(words.id), kind \(text) NOT NULL, id \(text)",
            "gateway_goal_sweeps": """
            goal_id \(text) PRIMARY KEY, day \(text) NOT NULL, at \(integer) NOT NULL, action_id \(text) NOT NULL
            """,
            "gateway_goal_totals": """
            goal_id \(text), day \(integer), numerator \(text), denominator \(text), count \(integer) NOT NULL,
            PRIMARY KEY (goal_id, day)
            """,
            "gateway_goal_revisions": "goal_id \(text) PRIMARY KEY, revision \(integer) NOT NULL",
            "gateway_goal_summaries": "goal_id \(text) PRIMARY KEY, stamp \(text) NOT NULL, body \(text) NOT NULL",
            "gateway_goal_meaning": """
            id \(integer) PRIMARY KEY CHECK (id = 1), space_id \(integer), dimensions \(integer)
            """,
            "gateway_goal_vectors": """
            space_id \(integer), hash \(bytes), vector \(bytes) NOT NULL, PRIMARY KEY (space_id, hash)
            """,
            "gateway_goal_texts": """
            kind \(text), id \(text), hash \(bytes) NOT NULL, text \(text) NOT NULL, PRIMARY KEY (kind, id)
            """,
            "gateway_goal_proposals": """
            id \(text) PRIMARY KEY, created_at \(integer) NOT NULL, expires_at \(integer) NOT NULL,
            state \(text) NOT NULL, turn_key \(text) UNIQUE, body \(text) NOT NULL
            """,
            "gateway_goal_context": """
            id \(integer) PRIMARY KEY CHECK (id = 1), turn \(text), actor \(text), reason \(text)
            """,
            "gateway_goal_history": """
            seq \(words.id), at \(integer), tbl \(text), entity \(text), part \(text), op \(text), turn \(text),
            actor \(text), reason \(text), names \(text), \(values.joined(separator: ", "))
            """,
        ]
        let indexes = [
            ("days_order", "days (day, at, action_id)"), ("relevances_value", "relevances (value_id, goal_id)"),
            ("decisions_goal", "decisions (goal_id, action_id)"),
            ("matches_action", "matches (action_id, state, goal_id)"),
            ("matches_goal", "matches (goal_id, state, day, amount)"),
            ("matches_state", "matches (state, day, goal_id, action_id)"), ("dirty_id", "dirty (kind, id)"),
            ("texts_hash", "texts (hash, kind, id)"), ("proposals_order", "proposals (created_at, id)"),
            ("proposals_state", "proposals (state, created_at, id)"), ("history_table", "history (tbl, seq)"),
            ("history_row", "history (tbl, entity, part, seq)"), ("history_entity", "history (entity, seq)"),
            ("history_turn", "history (turn, seq)"), ("history_at", "history (at)"),
        ]
        return tables.sorted { $0.key < $1.key }.map { "CREATE TABLE \($0.key) (\($0.value))" }
            + indexes.map { "CREATE INDEX gateway_goal_\($0.0) ON gateway_goal_\($0.1)" }
    }

    private static let now = "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"

    /// What the triggers of a file do: they record each change, by any program, and mark what it changes to be matched.
    private static func trigger(of table: GoalTable, _ columns: [String]) -> [String] {
        let name = "gateway_goal_\(table.word)"
        let isSame = table.keys.map { "NEW.\($0) IS NOT DISTINCT FROM OLD.\($0)" }.joined(separator: " AND ")
        let names = "[\(columns.map { "\"\($0)\"" }.joined(separator: ","))]"
        func entry(_ operation: String, _ marks: [String]) -> String {
            let row = operation == "delete" ? "OLD" : "NEW"
            let targets = marks.flatMap { mark in columns.indices.map { "\(mark)\($0)" } }
            let values = marks.flatMap { mark in columns.map { "\(mark == "o" ? "OLD" : "NEW").\($0)" } }
            let part = table.keys.count > 1 ? "\(row).\(table.keys[1])" : "NULL"
            return """
                INSERT INTO gateway_goal_history
                (at, tbl, entity, part, op, turn, actor, reason, names, \(targets.joined(separator: ", ")))
                VALUES (floor(extract(epoch FROM clock_timestamp()) * 1000), '\(table.name)', \(row).\(table.keys[0]),
                \(part), '\(operation)', (SELECT turn FROM gateway_goal_context),
                (SELECT actor FROM gateway_goal_context), (SELECT reason FROM gateway_goal_context), '\(names)',
                \(values.joined(separator: ", ")));
                """
        }
        func mark(_ row: String) -> String {
            guard let dirty = table.dirty else { return "" }
            let id = "\(row).\(dirty.column)"
            return """
                DELETE FROM gateway_goal_dirty WHERE kind = '\(dirty.kind)' AND id = \(id);
                INSERT INTO gateway_goal_dirty (kind, id) VALUES ('\(dirty.kind)', \(id));
                """
        }
        let body = """
            DECLARE isSame boolean := false;
            BEGIN
            IF TG_OP = 'UPDATE' THEN isSame := \(isSame); END IF;
            IF isSame THEN \(entry("update", ["o", "n"])) END IF;
            IF TG_OP <> 'INSERT' THEN
            IF NOT isSame THEN \(entry("delete", ["o"])) END IF;
            \(mark("OLD"))
            END IF;
            IF TG_OP <> 'DELETE' THEN
            IF NOT isSame THEN \(entry("insert", ["n"])) END IF;
            \(mark("NEW"))
            END IF;
            RETURN NULL;
            END
            """
        return [
            """
            CREATE FUNCTION \(name)_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT
            AS '\(body.replacing("'", with: "''"))'
            """,
            """
            CREATE TRIGGER \(name)_change AFTER INSERT OR UPDATE OR DELETE ON \(table.name)
            FOR EACH ROW EXECUTE FUNCTION \(name)_change()
            """,
        ]
    }
}
