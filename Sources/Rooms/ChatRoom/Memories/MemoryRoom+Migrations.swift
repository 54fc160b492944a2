package import Database

extension MemoryRoom {
    /// What the gateway knows of memories beside their rows, what it changed, and which runs it read; a file has these tables from
    /// the steps before the rooms.
    ///
    /// `keyed` is the text that `key` and `value` were read from: a row counts only while the memory has that text. `is_read` is 0
    /// while they have to be read again. The runs of before are not read: nothing was found in chats then.
    package static let migrations = [
        Migration("gateway-53-memories", only: .postgres) { session in
            for statement in tables(session.dialect) + moves + log { try session.run(statement) }
        }
    ]

    private static func tables(_ words: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE gateway_memory_details (
                memory_id bigint PRIMARY KEY,
                keyed \(words.text) NOT NULL,
                is_read bigint NOT NULL DEFAULT 1,
                kind \(words.text),
                key \(words.text),
                value \(words.text) NOT NULL DEFAULT '',
                is_single bigint NOT NULL DEFAULT 0,
                state \(words.text) NOT NULL DEFAULT 'active',
                is_pinned bigint NOT NULL DEFAULT 0,
                origin \(words.text) NOT NULL DEFAULT 'other',
                run_id \(words.text),
                session_id \(words.text),
                message_id bigint,
                source \(words.text),
                start bigint,
                stop bigint,
                reason \(words.text),
                superseded_by bigint
            )
            """,
            "CREATE INDEX gateway_memory_details_key ON gateway_memory_details (key) WHERE key IS NOT NULL",
            "CREATE INDEX gateway_memory_details_state ON gateway_memory_details (state, memory_id)",
            """
            CREATE INDEX gateway_memory_details_by ON gateway_memory_details (superseded_by)
                WHERE superseded_by IS NOT NULL
            """,
            """
            CREATE TABLE gateway_memory_changes (
                id \(words.id),
                memory_id bigint NOT NULL,
                action \(words.text) NOT NULL,
                content \(words.text),
                type \(words.text),
                confidence double precision,
                session_id \(words.text),
                embedding bytea,
                reason \(words.text),
                changed_at bigint NOT NULL
            )
            """,
            "CREATE INDEX gateway_memory_changes_memory ON gateway_memory_changes (memory_id, id)",
            """
            CREATE INDEX gateway_memory_changes_forgotten ON gateway_memory_changes (changed_at)
                WHERE action = 'forget'
            """,
            "CREATE TABLE gateway_memory_cursor (id bigint PRIMARY KEY CHECK (id = 1), number bigint NOT NULL)",
            "CREATE TABLE gateway_memory_waiting (number bigint PRIMARY KEY)",
        ]
    }

    private static let moves = [
        """
        INSERT INTO gateway_memory_cursor (id, number)
        SELECT 1, max(number) FROM gateway_chat_runs HAVING max(number) IS NOT NULL
        """,
        """
        INSERT INTO gateway_memory_changes
            (memory_id, action, content, type, confidence, session_id, embedding, reason, changed_at)
        SELECT memory_id, action, content, type, confidence, source_session, embedding, reason, changed
        FROM memory_changes ORDER BY id
        """,
        """
        INSERT INTO gateway_memory_details (memory_id, keyed, is_read, is_pinned)
        SELECT id, content, 0, is_pinned::integer FROM memories WHERE is_pinned IS NOT NULL
        """,
        """
        INSERT INTO gateway_memory_details (memory_id, keyed, is_read, is_pinned)
        SELECT memory_id, content, 0, is_pinned::integer FROM memory_changes
        WHERE action = 'forget' AND is_pinned IS NOT NULL ORDER BY id DESC ON CONFLICT (memory_id) DO NOTHING
        """,
        "DROP TABLE memory_changes",
        "ALTER TABLE memories DROP COLUMN is_pinned",
    ]

    /// What the gateway knows of a memory is logged as the memory itself.
    private static let log = [
        """
        CREATE OR REPLACE FUNCTION selene.follow_memories() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'INSERT' THEN
                INSERT INTO selene.memory_log (memory_id) SELECT id FROM added;
            ELSIF TG_OP = 'DELETE' THEN
                INSERT INTO selene.memory_log (memory_id) SELECT id FROM removed;
            ELSE
                INSERT INTO selene.memory_log (memory_id)
                SELECT a.id FROM added a JOIN removed r ON r.id = a.id
                WHERE (a.content, a.type, a.confidence, a.source_session, a.embedding, a.created, a.updated)
                    IS DISTINCT FROM
                    (r.content, r.type, r.confidence, r.source_session, r.embedding, r.created, r.updated);
            END IF;
            IF FOUND THEN
                DELETE FROM selene.memory_log WHERE seq <= (SELECT max(seq) FROM selene.memory_log) - 20000;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE FUNCTION selene.follow_memory_details() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                INSERT INTO selene.memory_log (memory_id) SELECT memory_id FROM removed;
            ELSE
                INSERT INTO selene.memory_log (memory_id) SELECT memory_id FROM added;
            END IF;
            RETURN NULL;
        END $$
        """,
        """
        CREATE TRIGGER follow_inserted AFTER INSERT ON gateway_memory_details REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_memory_details()
        """,
        """
        CREATE TRIGGER follow_updated AFTER UPDATE ON gateway_memory_details REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_memory_details()
        """,
        """
        CREATE TRIGGER follow_deleted AFTER DELETE ON gateway_memory_details REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_memory_details()
        """,
    ]
}
