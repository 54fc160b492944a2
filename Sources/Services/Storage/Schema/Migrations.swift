import AssociationRoom
import AuditRoom
import BookRoom
import BriefingRoom
import ChatRoom
package import Database
import EvaluationRoom
import GRDB
import GatewayAPI
import GoalRoom
import JobRoom
import KeyRoom
import PromptRoom
import PushRoom
import SourceRoom
import TaskRoom
import ThreadRoom

/// The schema as a list of steps. New steps are appended; a released step is never edited.
package enum Migrations {
    /// The steps of the rooms for both engines. PostgreSQL counts them by place: the order of released steps stays.
    package static let rooms =
        JobRoom.migrations + PromptRoom.migrations + KeyRoom.migrations + AnswerRoom.migrations
        + EvaluationRoom.migrations + BookRoom.migrations + GoalRoom.migrations + PushRoom.migrations
        + TaskRoom.migrations + AssociationRoom.migrations + ThreadGroupRoom.migrations + BriefingRoom.migrations
        + PushRoom.tokenMigrations + MemoryRoom.migrations + AuditRoom.migrations + KeyRoom.budgetMigrations
        + SourceRoom.migrations

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("gateway-1-notes") { database in
            let isNew = try !database.tableExists("raw_notes")
            try database.execute(sql: notes)
            // Index only our own new table; another program's table has its own indexes.
            if isNew { try database.execute(sql: "CREATE INDEX raw_notes_content_hash ON raw_notes (content_hash)") }
        }
        migrator.registerMigration("gateway-2-embeddings") { try $0.execute(sql: embeddings) }
        migrator.registerMigration("gateway-3-changes") { try $0.execute(sql: changes) }
        migrator.registerMigration("gateway-4-keys") { try $0.execute(sql: keys) }
        migrator.registerMigration("gateway-5-passages") { database in
            try database.execute(sql: passages)
            // A trigger that names a missing column would make the other program's writes fail.
            let isKnown = try NoteColumns(database).threadNotes.contains("note_id")
            if isKnown { try database.execute(sql: threadChanges) }
        }
        migrator.registerMigration("gateway-6-grants") { try $0.execute(sql: grants) }
        migrator.registerMigration("gateway-7-notes-api") { database in
            try database.execute(sql: exports)
            try database.execute(sql: try otherNoteColumns(NoteColumns(database)))
        }
        migrator.registerMigration("gateway-8-backfill") { try backfill($0) }
        migrator.registerMigration("gateway-9-triggers") { try renewTriggers($0) }
        migrator.registerMigration("gateway-10-job-keys") { database in
            // The key charged for the job's tokens; NULL for none.
            try database.execute(sql: "ALTER TABLE gateway_jobs ADD COLUMN key_id INTEGER")
        }
        migrator.registerMigration("gateway-11-chat") { try $0.execute(sql: chat) }
        migrator.registerMigration("gateway-12-web") { try $0.execute(sql: web) }
        migrator.registerMigration("gateway-13-session-messages") { try SessionMessageIndex.create($0) }
        migrator.registerMigration("gateway-14-summaries") { try $0.execute(sql: summaries) }
        migrator.registerMigration("gateway-15-prompts") { try $0.execute(sql: prompts) }
        migrator.registerMigration("gateway-16-books") { try $0.execute(sql: books) }
        migrator.registerMigration("gateway-17-goals") { try goals($0) }
        migrator.registerMigration("gateway-18-push") { try $0.execute(sql: push) }
        migrator.registerMigration("gateway-19-note-receipts") { try $0.execute(sql: noteReceipts) }
        migrator.registerMigration("gateway-20-book-jobs") { try $0.execute(sql: bookJobs) }
        migrator.registerMigration("gateway-21-goal-matching") { try $0.execute(sql: goalMatching) }
        migrator.registerMigration("gateway-22-goal-meaning") { try $0.execute(sql: goalMeaning) }
        migrator.registerMigration("gateway-23-mind") { try $0.execute(sql: mind) }
        migrator.registerMigration("gateway-24-new-pairs") { try $0.execute(sql: newPairs) }
        migrator.registerMigration("gateway-25-goal-summaries") { try $0.execute(sql: goalSummaries) }
        migrator.registerMigration("gateway-26-goal-reminders") { try goalReminders($0) }
        migrator.registerMigration("gateway-27-threads") { try $0.execute(sql: threads) }
        migrator.registerMigration("gateway-28-task-drafts") { try $0.execute(sql: taskDrafts) }
        migrator.registerMigration("gateway-29-mind") { try $0.execute(sql: memories + messageDrafts) }
        migrator.registerMigration("gateway-30-thread-phrasing") { try $0.execute(sql: threadPhrasing) }
        migrator.registerMigration("gateway-31-console") { try $0.execute(sql: evaluations) }
        migrator.registerMigration("gateway-32-push-age") { try $0.execute(sql: pushAge) }
        migrator.registerMigration("gateway-33-memory-log") { try MemoryLog.create($0) }
        migrator.registerMigration("gateway-34-note-versions") { try $0.execute(sql: noteVersions) }
        migrator.registerMigration("gateway-35-key-parents") {
            try $0.execute(sql: "ALTER TABLE gateway_keys ADD COLUMN parent INTEGER")
        }
        migrator.registerMigration("gateway-36-note-ingests") { try $0.execute(sql: noteIngests) }
        for step in rooms where step.isNeeded(in: .sqlite) {
            migrator.registerMigration(step.name) { database in
                try step.run(SQLiteSession(database))
            }
        }
        return migrator
    }

    /// The tables of a Selene database, created where missing; existing tables are not changed.
    private static let notes = """
        CREATE TABLE IF NOT EXISTS raw_notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            title TEXT NOT NULL,
            content TEXT NOT NULL,
            content_hash TEXT,
            source_type TEXT,
            word_count INTEGER,
            character_count INTEGER,
            tags TEXT,
            created_at TEXT NOT NULL,
            imported_at TEXT,
            status TEXT,
            test_run TEXT
        );
        CREATE TABLE IF NOT EXISTS processed_notes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            note_id INTEGER NOT NULL UNIQUE,
            concepts TEXT,
            concept_confidence TEXT,
            primary_theme TEXT,
            secondary_themes TEXT,
            overall_sentiment TEXT,
            sentiment_score REAL,
            emotional_tone TEXT,
            energy_level TEXT,
            note_type TEXT,
            actionability TEXT
        );
        CREATE TABLE IF NOT EXISTS threads (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            status TEXT NOT NULL DEFAULT 'active',
            momentum_score REAL NOT NULL DEFAULT 0,
            last_activity_at TEXT,
            created_at TEXT
        );
        CREATE TABLE IF NOT EXISTS thread_notes (
            thread_id INTEGER NOT NULL,
            note_id INTEGER NOT NULL,
            PRIMARY KEY (thread_id, note_id)
        );
        CREATE TABLE IF NOT EXISTS thread_tasks (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            thread_id INTEGER NOT NULL,
            created_at TEXT
        );
        CREATE TABLE IF NOT EXISTS note_associations (
            note_a_id INTEGER NOT NULL,
            note_b_id INTEGER NOT NULL,
            similarity REAL NOT NULL,
            PRIMARY KEY (note_a_id, note_b_id)
        );
        CREATE TABLE IF NOT EXISTS chat_sessions (
            id TEXT PRIMARY KEY,
            messages_json TEXT NOT NULL DEFAULT '[]',
            title TEXT,
            is_pinned INTEGER NOT NULL DEFAULT 0,
            compression_state TEXT,
            compressed_at TEXT,
            summary_text TEXT,
            created_at TEXT,
            updated_at TEXT
        );
        CREATE TABLE IF NOT EXISTS conversations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            role TEXT NOT NULL,
            content TEXT NOT NULL,
            created_at TEXT
        );
        CREATE TABLE IF NOT EXISTS conversation_memories (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            content TEXT NOT NULL,
            type TEXT,
            confidence REAL,
            source_session_id TEXT,
            embedding BLOB,
            created_at TEXT,
            last_accessed_at TEXT
        );
        CREATE TABLE IF NOT EXISTS device_tokens (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            token TEXT NOT NULL UNIQUE,
            platform TEXT,
            created_at TEXT,
            last_seen_at TEXT
        );
        CREATE TABLE gateway_note_sources (
            external_id TEXT PRIMARY KEY,
            note_id INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX gateway_note_sources_note ON gateway_note_sources (note_id);
        CREATE TABLE gateway_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        """

    /// Vectors by embedding space. A trigger deletes them with the note, since other processes may not enforce
    /// references.
    private static let embeddings = """
        CREATE TABLE gateway_spaces (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            model TEXT NOT NULL,
            digest TEXT NOT NULL,
            dimensions INTEGER NOT NULL,
            query_prefix TEXT NOT NULL,
            document_prefix TEXT NOT NULL,
            chunker_version INTEGER NOT NULL,
            created_at TEXT NOT NULL,
            UNIQUE (model, digest, dimensions, query_prefix, document_prefix, chunker_version)
        );
        CREATE TABLE gateway_embeddings (
            space_id INTEGER NOT NULL,
            note_id INTEGER NOT NULL,
            content_hash BLOB NOT NULL,
            vector BLOB NOT NULL,
            created_at TEXT NOT NULL,
            PRIMARY KEY (space_id, note_id)
        );
        CREATE INDEX gateway_embeddings_note ON gateway_embeddings (note_id);
        CREATE TRIGGER gateway_note_deleted AFTER DELETE ON raw_notes BEGIN
            DELETE FROM gateway_embeddings WHERE note_id = OLD.id;
            DELETE FROM gateway_note_sources WHERE note_id = OLD.id;
        END;
        """

    /// The log of changed notes, in order, whichever process changed them. The log keeps its latest 200,000 rows; a
    /// reader that is further behind reloads everything.
    private static var changes: String {
        let log = "INSERT INTO gateway_changes (note_id) VALUES"
        return """
            CREATE TABLE gateway_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, note_id INTEGER NOT NULL);
            CREATE TRIGGER gateway_changes_trim AFTER INSERT ON gateway_changes BEGIN
                DELETE FROM gateway_changes WHERE seq <= NEW.seq - 200000;
            END;
            CREATE TRIGGER gateway_note_in AFTER INSERT ON raw_notes BEGIN \(log) (NEW.id); END;
            CREATE TRIGGER gateway_note_up AFTER UPDATE ON raw_notes BEGIN \(log) (NEW.id); END;
            CREATE TRIGGER gateway_note_out AFTER DELETE ON raw_notes BEGIN \(log) (OLD.id); END;
            CREATE TRIGGER gateway_processed_in AFTER INSERT ON processed_notes BEGIN \(log) (NEW.note_id); END;
            CREATE TRIGGER gateway_processed_up AFTER UPDATE ON processed_notes BEGIN \(log) (NEW.note_id); END;
            CREATE TRIGGER gateway_processed_out AFTER DELETE ON processed_notes BEGIN \(log) (OLD.note_id); END;
            CREATE TRIGGER gateway_vector_in AFTER INSERT ON gateway_embeddings BEGIN \(log) (NEW.note_id); END;
            CREATE TRIGGER gateway_vector_up AFTER UPDATE ON gateway_embeddings BEGIN \(log) (NEW.note_id); END;
            CREATE TRIGGER gateway_vector_out AFTER DELETE ON gateway_embeddings BEGIN \(log) (OLD.note_id); END;
            """
    }

    private static let keys = """
        CREATE TABLE gateway_keys (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            prefix TEXT NOT NULL,
            created_at TEXT NOT NULL,
            last_used_at TEXT,
            revoked_at TEXT
        );
        CREATE UNIQUE INDEX gateway_keys_live_name ON gateway_keys (name) WHERE revoked_at IS NULL;
        """

    /// The vectors of a note's second and later passages. The first vector and the number of passages stay in the
    /// embedding's row. Deleting the embedding deletes its passages.
    private static let passages = """
        ALTER TABLE gateway_embeddings ADD COLUMN passages INTEGER NOT NULL DEFAULT 1;
        CREATE TABLE gateway_passages (
            space_id INTEGER NOT NULL,
            note_id INTEGER NOT NULL,
            passage INTEGER NOT NULL CHECK (passage >= 1),
            vector BLOB NOT NULL,
            PRIMARY KEY (space_id, note_id, passage)
        ) WITHOUT ROWID;
        CREATE TRIGGER gateway_embedding_deleted AFTER DELETE ON gateway_embeddings BEGIN
            DELETE FROM gateway_passages WHERE space_id = OLD.space_id AND note_id = OLD.note_id;
        END;
        """

    /// Logs a note that joins or leaves a thread as changed. Some files hold any value in that table, which must not
    /// make the other program's writes fail.
    private static var threadChanges: String {
        func log(_ row: String) -> String {
            """
            INSERT INTO gateway_changes (note_id) SELECT \(row).note_id WHERE typeof(\(row).note_id) = 'integer';
            """
        }
        return """
            CREATE TRIGGER gateway_thread_in AFTER INSERT ON thread_notes BEGIN \(log("NEW")) END;
            CREATE TRIGGER gateway_thread_up AFTER UPDATE ON thread_notes BEGIN \(log("OLD")) \(log("NEW")) END;
            CREATE TRIGGER gateway_thread_out AFTER DELETE ON thread_notes BEGIN \(log("OLD")) END;
            """
    }

    /// Some files name the note column differently. The triggers of the third and fifth step would make the other
    /// program's writes fail there.
    private static func otherNoteColumns(_ columns: NoteColumns) -> String {
        func log(_ row: String, _ column: String) -> String {
            """
            INSERT INTO gateway_changes (note_id)
                SELECT \(row).\(column) WHERE typeof(\(row).\(column)) = 'integer';
            """
        }
        func triggers(_ name: String, on table: String, _ column: String) -> String {
            """
            CREATE TRIGGER gateway_\(name)_in AFTER INSERT ON \(table) BEGIN \(log("NEW", column)) END;
            CREATE TRIGGER gateway_\(name)_up AFTER UPDATE ON \(table) BEGIN
                \(log("OLD", column)) \(log("NEW", column))
            END;
            CREATE TRIGGER gateway_\(name)_out AFTER DELETE ON \(table) BEGIN \(log("OLD", column)) END;
            """
        }
        var sql = ""
        if !columns.processed.contains("note_id") {
            sql += """
                DROP TRIGGER IF EXISTS gateway_processed_in;
                DROP TRIGGER IF EXISTS gateway_processed_up;
                DROP TRIGGER IF EXISTS gateway_processed_out;

                """
            if let column = columns.processedNote { sql += triggers("processed", on: "processed_notes", column) }
        }
        if !columns.threadNotes.contains("note_id"), let column = columns.threadNote {
            sql += triggers("thread", on: "thread_notes", column)
        }
        return sql
    }

    /// The exported file of each note and the hash of its contents, so that an export skips files edited since.
    private static let exports = """
        CREATE TABLE gateway_exports (
            folder TEXT NOT NULL,
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            path TEXT NOT NULL,
            hash BLOB NOT NULL,
            PRIMARY KEY (folder, note_id)
        ) WITHOUT ROWID;

        """

    /// The grants and the usage of keys. Existing keys get every scope except `admin`. Lists are words separated by
    /// spaces; an empty list of models allows any.
    private static let grants = """
        ALTER TABLE gateway_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'llm notes:read notes:write';
        ALTER TABLE gateway_keys ADD COLUMN models TEXT NOT NULL DEFAULT '';
        ALTER TABLE gateway_keys ADD COLUMN expires_at TEXT;
        ALTER TABLE gateway_keys ADD COLUMN requests_per_minute INTEGER CHECK (
            requests_per_minute IS NULL OR (typeof(requests_per_minute) = 'integer' AND requests_per_minute >= 1));
        ALTER TABLE gateway_keys ADD COLUMN tokens_per_day INTEGER CHECK (
            tokens_per_day IS NULL OR (typeof(tokens_per_day) = 'integer' AND tokens_per_day >= 1));
        CREATE TABLE gateway_key_usage (
            day TEXT NOT NULL,
            key_id INTEGER NOT NULL CHECK (typeof(key_id) = 'integer'),
            requests INTEGER NOT NULL CHECK (typeof(requests) = 'integer'),
            refused INTEGER NOT NULL CHECK (typeof(refused) = 'integer'),
            prompt_tokens INTEGER NOT NULL CHECK (typeof(prompt_tokens) = 'integer'),
            completion_tokens INTEGER NOT NULL CHECK (typeof(completion_tokens) = 'integer'),
            PRIMARY KEY (day, key_id)
        ) WITHOUT ROWID;
        """

    /// Reports of retrieval. `means` and `report` are JSON for readers, `figures` has the values of each query.
    private static let evaluations = """
        CREATE TABLE gateway_evaluations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            collection TEXT NOT NULL,
            name TEXT NOT NULL,
            means TEXT NOT NULL,
            report TEXT NOT NULL,
            figures BLOB NOT NULL,
            created_at TEXT NOT NULL
        );
        """
}
