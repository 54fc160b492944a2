-- A notes database with the other names that columns have in some files: raw_note_id, similarity_score, memory_type,
-- last_accessed, full_messages_json, message_count; with columns of its own, checks, references and older dates.
CREATE TABLE raw_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, content TEXT NOT NULL,
    content_hash TEXT UNIQUE NOT NULL, source_type TEXT DEFAULT 'drafts', source_uuid TEXT,
    word_count INTEGER DEFAULT 0, character_count INTEGER DEFAULT 0, tags TEXT, created_at DATETIME NOT NULL,
    imported_at DATETIME DEFAULT CURRENT_TIMESTAMP, processed_at DATETIME, exported_at DATETIME,
    status TEXT DEFAULT 'pending', exported_to_obsidian INTEGER DEFAULT 0, test_run TEXT DEFAULT NULL,
    status_apple TEXT DEFAULT 'pending_apple'
);
CREATE TABLE processed_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, raw_note_id INTEGER NOT NULL, concepts TEXT, concept_confidence TEXT,
    primary_theme TEXT, secondary_themes TEXT, overall_sentiment TEXT, sentiment_score REAL, emotional_tone TEXT,
    energy_level TEXT, processed_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (raw_note_id) REFERENCES raw_notes(id)
);
CREATE TABLE mood_history (
    id INTEGER PRIMARY KEY, raw_note_id INTEGER NOT NULL, mood TEXT,
    FOREIGN KEY (raw_note_id) REFERENCES raw_notes(id) ON DELETE CASCADE
);
CREATE TABLE thread_history (
    id INTEGER PRIMARY KEY, trigger_note_id INTEGER, what TEXT,
    FOREIGN KEY (trigger_note_id) REFERENCES raw_notes(id) ON DELETE SET NULL
);
CREATE TABLE threads (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, why TEXT, summary TEXT, status TEXT DEFAULT 'active',
    note_count INTEGER DEFAULT 0, last_activity_at TEXT, emotional_charge REAL, momentum_score REAL,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP, updated_at TEXT DEFAULT CURRENT_TIMESTAMP,
    CHECK (status IN ('active', 'paused', 'completed', 'abandoned'))
);
CREATE TABLE thread_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER NOT NULL, raw_note_id INTEGER NOT NULL,
    added_at TEXT DEFAULT CURRENT_TIMESTAMP, UNIQUE (thread_id, raw_note_id)
);
CREATE TABLE thread_tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER NOT NULL, things_task_id TEXT NOT NULL,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP, completed_at TEXT, UNIQUE (thread_id, things_task_id)
);
CREATE TABLE note_associations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, note_a_id INTEGER NOT NULL, note_b_id INTEGER NOT NULL,
    similarity_score REAL NOT NULL, created_at TEXT DEFAULT CURRENT_TIMESTAMP, UNIQUE (note_a_id, note_b_id),
    CHECK (note_a_id < note_b_id)
);
CREATE TABLE chat_sessions (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    message_count INTEGER NOT NULL, is_pinned INTEGER DEFAULT 0, compression_state TEXT DEFAULT 'full',
    compressed_at TEXT, full_messages_json TEXT, summary_text TEXT
);
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), content TEXT NOT NULL,
    created_at TEXT DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE conversation_memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, source_session_id TEXT, embedding BLOB,
    memory_type TEXT CHECK (memory_type IN ('preference', 'fact', 'pattern', 'context')), confidence REAL DEFAULT 1.0,
    last_accessed TEXT, created_at TEXT DEFAULT CURRENT_TIMESTAMP, updated_at TEXT DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO raw_notes (id, title, content, content_hash, tags, created_at) VALUES
    (1, 'Oldest', 'a tide', 'h1', '["sea"]', '2025-01-02 03:04:05'),
    (2, 'Newest', 'a moon', 'h2', NULL, '2026-01-02T03:04:05.678Z'),
    (3, 'Between', 'a star', 'h3', 'x, y', '2026-01-02 03:04:04'),
    (4, 'Number', 'a second', 'h4', NULL, 1735689600),
    (5, 'Bytes', x'6162', 'h5', NULL, 1735689600123);
INSERT INTO raw_notes (id, title, content, content_hash, created_at, test_run) VALUES
    (6, 'Hidden', 'a test', 'h6', '2026-02-02 03:04:05', 'run');
INSERT INTO processed_notes
    (raw_note_id, concepts, concept_confidence, secondary_themes, overall_sentiment, sentiment_score) VALUES
    (1, '["tide"]', '{"tide":0.9}', '["sea","sky"]', 'calm', 0.5);
INSERT INTO mood_history (raw_note_id, mood) VALUES (1, 'calm'), (2, 'glad');
INSERT INTO thread_history (trigger_note_id, what) VALUES (1, 'created');
INSERT INTO threads (id, name, why, status, momentum_score, last_activity_at) VALUES
    (1, 'Spring tides', 'the harbour', 'active', 0.5, '2026-01-01 00:00:00'),
    (2, 'Stargazing', NULL, 'active', NULL, '2026-01-02T00:00:00Z'), (3, 'Over', NULL, 'completed', 9, NULL);
INSERT INTO thread_notes (thread_id, raw_note_id) VALUES (1, 1), (1, 2), (1, 6), (2, 3);
INSERT INTO thread_tasks (thread_id, things_task_id, created_at, completed_at) VALUES
    (1, 'T-1', '2026-01-01 00:00:00', NULL), (1, 'T-2', '2026-01-03T00:00:00Z', '2026-01-04 00:00:00');
INSERT INTO note_associations (note_a_id, note_b_id, similarity_score) VALUES (1, 2, 0.9), (2, 3, 0.8), (2, 6, 0.99);
INSERT INTO chat_sessions (id, title, created_at, updated_at, message_count, is_pinned, full_messages_json) VALUES
    ('s-1', 'First', '2026-01-01T00:00:00.000Z', '2026-01-01T10:00:00.000Z', 2, 1, '[{"role":"user"},{"role":"assistant"}]'),
    ('s-2', 'Second', '2026-01-01 00:00:00', '2026-01-01 11:00:00', 0, 0, NULL);
INSERT INTO conversations (session_id, role, content, created_at) VALUES
    ('s-1', 'user', 'hello', '2026-01-01 00:00:00'), ('s-1', 'assistant', 'hi', '2026-01-01T00:00:01.000Z'),
    ('orphan', 'user', 'alone', '2026-01-01 00:00:02');
INSERT INTO conversation_memories (content, memory_type, confidence, embedding, last_accessed) VALUES
    ('likes tea', 'preference', 0.9, CAST('[0.5,-1,2e-3]' AS BLOB), '2026-01-01T00:00:00.000Z'),
    ('lives by the sea', 'fact', 1.0, NULL, NULL);
