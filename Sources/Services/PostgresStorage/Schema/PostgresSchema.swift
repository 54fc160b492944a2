import Database
import Storage

/// The tables of the store, in the schema `selene`, and how they came about.
///
/// New steps are appended; a released step is never edited. The steps run in one transaction, under an advisory lock, so
/// that of several gateways one migrates and the others wait.
enum PostgresSchema {
    /// The key of the advisory lock of migrations.
    static let lock: Int64 = 0x53_454C_454E_45
    /// The oldest major version of PostgreSQL whose functions the store uses.
    static let leastServer = 14
    /// The oldest pgvector that finds as many rows as a filtered query asks for.
    static let leastVector = (0, 8)

    static let steps = [
        notes, words, spaces, queue, changes, details, credentials, jobs, conversations, memories, memoryLog,
        noteReceipts, stemHolders, chats, prompts, vocabularyOrder,
        noteVersions, keyParents,
        noteIngests,
    ]

    /// The steps that both engines share; they come after the own ones.
    private static let rooms = Migrations.rooms.filter { $0.isNeeded(in: .postgres) }
    /// The number of all steps.
    static var count: Int { steps.count + rooms.count }

    /// Brings the schema up to date.
    ///
    /// - Throws: ``PostgresError``: `missingExtension`, `newerVersion`.
    static func migrate(_ pool: PostgresPool) async throws {
        let isCurrent = try await pool.read { connection -> Bool in
            guard connection.version >= leastServer else {
                throw PostgresError(
                    .failed, "PostgreSQL \(connection.version) is too old; expected \(leastServer) or later")
            }
            guard try await connection.run("SELECT to_regclass('selene.meta') IS NOT NULL").bool(0, 0) == true else {
                return false
            }
            return try await version(connection) == count
        }
        guard !isCurrent else { return }
        try await pool.write { connection in
            try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(lock)], isPrepared: false)
            try await ensureExtensions(connection)
            try await connection.script(
                """
                CREATE SCHEMA IF NOT EXISTS selene;
                CREATE TABLE IF NOT EXISTS selene.meta (key text PRIMARY KEY, value text NOT NULL)
                """)
            let version = try await version(connection)
            for step in steps.dropFirst(version) { try await connection.script(step) }
            for step in rooms.dropFirst(max(0, version - steps.count)) { try await connection.onThread(step.run) }
            try await connection.run(
                """
                INSERT INTO selene.meta VALUES ('schema', $1), ('identity', gen_random_uuid()::text)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE meta.key = 'schema'
                """, [.text(String(count))], isPrepared: false)
        }
    }

    private static func version(_ connection: PostgresConnection) async throws -> Int {
        let rows = try await connection.run("SELECT value FROM selene.meta WHERE key = 'schema'", isPrepared: false)
        let version = rows.text(0, 0).flatMap(Int.init) ?? 0
        guard version <= count else {
            throw PostgresError(
                .newerVersion,
                "a newer version of the gateway wrote this database (schema \(version), this one knows \(count))")
        }
        return version
    }

    private static func ensureExtensions(_ connection: PostgresConnection) async throws {
        for name in ["vector", "pg_trgm"] {
            let rows = try await connection.run(
                """
                SELECT (SELECT extversion FROM pg_extension WHERE extname = $1),
                    (SELECT default_version FROM pg_available_extensions WHERE name = $1)
                """, [.text(name)], isPrepared: false)
            let title = name == "vector" ? "pgvector (the extension \"vector\")" : "the extension \"\(name)\""
            guard let found = rows.text(0, 0) ?? rows.text(0, 1) else {
                let package =
                    name == "vector" ? "postgresql-\(connection.version)-pgvector" : "postgresql-contrib"
                throw PostgresError(
                    .missingExtension,
                    "PostgreSQL \(connection.version) at this address lacks \(title), which the store needs. "
                        + "Install it on the server, for example the package \(package), and start again")
            }
            if name == "vector", !isRecent(found) {
                throw PostgresError(
                    .missingExtension,
                    "the server has pgvector \(found); expected \(leastVector.0).\(leastVector.1) or later")
            }
            guard rows.text(0, 0) == nil else { continue }
            do {
                try await connection.script("CREATE EXTENSION IF NOT EXISTS \(name)")
            } catch let error as PostgresError where error.state == "42501" {
                throw PostgresError(
                    .missingExtension,
                    "this role may not create extensions. As a superuser, run in this database: CREATE EXTENSION \(name)"
                )
            }
        }
    }

    static func isRecent(_ version: String) -> Bool {
        let parts = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
        guard parts.count == 2 else { return false }
        return (parts[0], parts[1]) >= leastVector
    }

    // MARK: Steps

    /// `content_hash` is that of the text to embed, `extra` the columns that only SQLite files of other programs have.
    private static let notes = """
        CREATE TABLE selene.notes (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            title text NOT NULL,
            content text NOT NULL,
            created_at text NOT NULL,
            created bigint NOT NULL,
            note_type text,
            actionability text,
            tags text[] NOT NULL DEFAULT '{}',
            source text,
            hidden boolean NOT NULL DEFAULT false,
            extra text,
            content_hash bytea NOT NULL
        );
        CREATE INDEX notes_content_hash ON selene.notes (content_hash);
        CREATE INDEX notes_created ON selene.notes (created);
        CREATE TABLE selene.note_sources (
            external_id text NOT NULL,
            note_id bigint NOT NULL REFERENCES selene.notes ON DELETE CASCADE
        );
        CREATE UNIQUE INDEX note_sources_external_id ON selene.note_sources (md5(external_id));
        CREATE INDEX note_sources_note ON selene.note_sources (note_id);
        CREATE TABLE selene.threads (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            name text NOT NULL,
            folded text COLLATE "C" NOT NULL,
            extra text
        );
        CREATE INDEX threads_folded ON selene.threads (md5(folded));
        CREATE TABLE selene.thread_notes (
            thread_id bigint NOT NULL REFERENCES selene.threads ON DELETE CASCADE,
            note_id bigint NOT NULL REFERENCES selene.notes ON DELETE CASCADE,
            PRIMARY KEY (thread_id, note_id)
        );
        CREATE INDEX thread_notes_note ON selene.thread_notes (note_id);
        """

    /// Our folded text and its runs of word bytes. `marks` has five bytes for each run: its number and its mark.
    private static let words = """
        CREATE TABLE selene.vocabulary (
            id integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            run text COLLATE "C" NOT NULL,
            stems text[] COLLATE "C" NOT NULL
        );
        CREATE UNIQUE INDEX vocabulary_run ON selene.vocabulary (md5(run));
        CREATE INDEX vocabulary_part ON selene.vocabulary USING gin (run gin_trgm_ops);
        CREATE INDEX vocabulary_stems ON selene.vocabulary USING gin (stems);
        CREATE TABLE selene.note_words (
            note_id bigint PRIMARY KEY REFERENCES selene.notes ON DELETE CASCADE,
            created bigint NOT NULL,
            words integer NOT NULL,
            bytes integer NOT NULL,
            folded text COLLATE "C" NOT NULL,
            runs integer[] NOT NULL,
            marks bytea NOT NULL
        );
        CREATE INDEX note_words_runs ON selene.note_words USING gin (runs);
        CREATE TABLE selene.totals (documents bigint NOT NULL, words bigint NOT NULL, bytes bigint NOT NULL);
        CREATE FUNCTION selene.count_words() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP <> 'DELETE' THEN
                INSERT INTO selene.totals SELECT count(*), coalesce(sum(words), 0), coalesce(sum(bytes), 0)
                FROM added HAVING count(*) > 0;
            END IF;
            IF TG_OP <> 'INSERT' THEN
                INSERT INTO selene.totals SELECT -count(*), -coalesce(sum(words), 0), -coalesce(sum(bytes), 0)
                FROM removed HAVING count(*) > 0;
            END IF;
            RETURN NULL;
        END $$;
        CREATE TRIGGER count_inserted AFTER INSERT ON selene.note_words REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION selene.count_words();
        CREATE TRIGGER count_updated AFTER UPDATE ON selene.note_words
            REFERENCING NEW TABLE AS added OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION selene.count_words();
        CREATE TRIGGER count_deleted AFTER DELETE ON selene.note_words REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION selene.count_words();
        """

    /// Vectors are kept as the model gave them. Their indexes are partial, one a space, and made by `selene index tune`.
    private static let spaces = """
        CREATE TABLE selene.spaces (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            model text NOT NULL,
            digest text NOT NULL,
            dimensions integer NOT NULL,
            query_prefix text NOT NULL,
            document_prefix text NOT NULL,
            chunker_version integer NOT NULL,
            created_at text NOT NULL,
            activated_at text,
            is_filled boolean NOT NULL DEFAULT false,
            filled_by xid8,
            is_reconciled boolean NOT NULL DEFAULT false,
            index_kind text,
            index_search integer,
            index_recall double precision,
            index_sample integer,
            index_speedup double precision,
            measured_at bigint,
            UNIQUE (model, digest, dimensions, query_prefix, document_prefix, chunker_version)
        );
        CREATE TABLE selene.embeddings (
            space_id bigint NOT NULL REFERENCES selene.spaces ON DELETE CASCADE,
            note_id bigint NOT NULL REFERENCES selene.notes ON DELETE CASCADE,
            content_hash bytea NOT NULL,
            passages integer NOT NULL,
            PRIMARY KEY (space_id, note_id)
        );
        CREATE INDEX embeddings_note ON selene.embeddings (note_id);
        CREATE TABLE selene.vectors (
            space_id bigint NOT NULL,
            note_id bigint NOT NULL,
            passage integer NOT NULL,
            embedding vector NOT NULL,
            PRIMARY KEY (space_id, note_id, passage),
            FOREIGN KEY (space_id, note_id) REFERENCES selene.embeddings ON DELETE CASCADE
        );
        ALTER TABLE selene.vectors ALTER COLUMN embedding SET STORAGE MAIN;
        """

    /// `due` is NULL for a note that failed for good. Times are the server's, which all gateways share.
    private static let queue = """
        CREATE TABLE selene.queue (
            space_id bigint NOT NULL REFERENCES selene.spaces ON DELETE CASCADE,
            note_id bigint NOT NULL REFERENCES selene.notes ON DELETE CASCADE,
            due timestamptz DEFAULT '-infinity',
            owner text,
            attempts integer NOT NULL DEFAULT 0,
            reason text,
            PRIMARY KEY (space_id, note_id)
        );
        CREATE INDEX queue_due ON selene.queue (space_id, due, note_id) WHERE due IS NOT NULL;
        CREATE INDEX queue_owner ON selene.queue (owner) WHERE owner IS NOT NULL;
        CREATE INDEX queue_note ON selene.queue (note_id);
        """

    /// The change table, and what follows a change: its entry, the queue, a notification.
    private static let changes = """
        CREATE TABLE selene.changes (
            seq bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
            note_id bigint NOT NULL
        );
        CREATE INDEX changes_order ON selene.changes (transaction, seq);
        CREATE FUNCTION selene.enqueue(ids bigint[]) RETURNS void LANGUAGE sql AS $$
            INSERT INTO selene.queue (space_id, note_id)
            SELECT s.id, n.id FROM selene.notes n CROSS JOIN selene.spaces s
            WHERE n.id = ANY (ids) AND s.is_filled AND NOT n.hidden AND btrim(n.title || n.content) <> ''
            ORDER BY 1, 2
            ON CONFLICT (space_id, note_id) DO UPDATE
                SET due = '-infinity', owner = NULL, attempts = 0, reason = NULL
        $$;
        CREATE FUNCTION selene.follow_notes() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'INSERT' THEN
                INSERT INTO selene.changes (note_id) SELECT id FROM added ORDER BY id;
                PERFORM selene.enqueue(array_agg(id)) FROM added HAVING count(*) > 0;
            ELSIF TG_OP = 'UPDATE' THEN
                INSERT INTO selene.changes (note_id) SELECT id FROM added ORDER BY id;
                PERFORM selene.enqueue(array_agg(a.id)) FROM added a JOIN removed r ON r.id = a.id
                    AND (r.content_hash <> a.content_hash OR r.hidden <> a.hidden) HAVING count(*) > 0;
            ELSE
                INSERT INTO selene.changes (note_id) SELECT id FROM removed ORDER BY id;
            END IF;
            PERFORM pg_notify('selene', 'notes');
            RETURN NULL;
        END $$;
        CREATE TRIGGER follow_inserted AFTER INSERT ON selene.notes REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_notes();
        CREATE TRIGGER follow_updated AFTER UPDATE ON selene.notes REFERENCING NEW TABLE AS added OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_notes();
        CREATE TRIGGER follow_deleted AFTER DELETE ON selene.notes REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_notes();
        CREATE FUNCTION selene.follow_spaces() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM pg_notify('selene', 'spaces');
            RETURN NULL;
        END $$;
        CREATE TRIGGER follow_spaces AFTER INSERT OR UPDATE OR DELETE ON selene.spaces
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_spaces();
        CREATE TRIGGER follow_meta AFTER INSERT OR UPDATE OR DELETE ON selene.meta
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_spaces();
        """

    /// Threads, names in sources and vectors of a note are changes of the note, too.
    private static let details = """
        CREATE FUNCTION selene.follow_details() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                INSERT INTO selene.changes (note_id) SELECT DISTINCT note_id FROM removed ORDER BY note_id;
            ELSE
                INSERT INTO selene.changes (note_id) SELECT DISTINCT note_id FROM added ORDER BY note_id;
            END IF;
            PERFORM pg_notify('selene', 'notes');
            RETURN NULL;
        END $$;
        """
        + ["thread_notes", "note_sources", "embeddings"].map { table in
            """

            CREATE TRIGGER follow_inserted AFTER INSERT ON selene.\(table) REFERENCING NEW TABLE AS added
                FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_details();
            CREATE TRIGGER follow_updated AFTER UPDATE ON selene.\(table) REFERENCING NEW TABLE AS added
                FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_details();
            CREATE TRIGGER follow_deleted AFTER DELETE ON selene.\(table) REFERENCING OLD TABLE AS removed
                FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_details();
            """
        }.joined()

    /// Keys, usage, browser sessions and pairings, as SQLite files have them. Lists are words separated by spaces, times are
    /// seconds since 1970 or texts as in the file. `key_version` grows with every change that gateways must know.
    private static let credentials = """
        CREATE TABLE selene.keys (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            name text NOT NULL,
            hash bytea NOT NULL UNIQUE,
            prefix text NOT NULL,
            created_at text NOT NULL,
            last_used_at text,
            revoked_at text,
            scopes text NOT NULL,
            models text NOT NULL,
            expires_at bigint,
            requests_per_minute bigint,
            tokens_per_day bigint
        );
        CREATE UNIQUE INDEX keys_live_name ON selene.keys (name) WHERE revoked_at IS NULL;
        CREATE TABLE selene.key_usage (
            day text NOT NULL,
            key_id bigint NOT NULL,
            requests bigint NOT NULL,
            refused bigint NOT NULL,
            prompt_tokens bigint NOT NULL,
            completion_tokens bigint NOT NULL,
            PRIMARY KEY (day, key_id)
        );
        CREATE TABLE selene.web_sessions (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            hash bytea NOT NULL UNIQUE,
            key_id bigint,
            token_binding bytea,
            user_agent text NOT NULL,
            created_at bigint NOT NULL,
            last_used_at bigint NOT NULL,
            expires_at bigint NOT NULL
        );
        CREATE TABLE selene.pairings (
            id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
            code_hash bytea NOT NULL UNIQUE,
            poll_hash bytea,
            name text NOT NULL,
            user_agent text NOT NULL,
            address text NOT NULL,
            scopes text,
            models text NOT NULL DEFAULT '',
            key_expires_at bigint,
            requests_per_minute bigint,
            tokens_per_day bigint,
            granted_by bigint,
            expires_at bigint NOT NULL
        );
        CREATE TABLE selene.key_version (version bigint NOT NULL);
        INSERT INTO selene.key_version VALUES (1);
        CREATE FUNCTION selene.follow_keys() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE selene.key_version SET version = version + 1;
            PERFORM pg_notify('selene', 'keys');
            RETURN NULL;
        END $$;
        CREATE TRIGGER follow_keys AFTER INSERT OR DELETE
            OR UPDATE OF name, revoked_at, scopes, models, expires_at, requests_per_minute, tokens_per_day ON selene.keys
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_keys();
        CREATE TRIGGER follow_sessions AFTER INSERT OR UPDATE OR DELETE ON selene.web_sessions
            FOR EACH STATEMENT EXECUTE FUNCTION selene.follow_keys();
        """
}
