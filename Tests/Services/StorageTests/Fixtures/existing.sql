-- A notes database as another program made it, with columns of its own and both forms of dates.
CREATE TABLE raw_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    content_hash TEXT UNIQUE NOT NULL,
    source_type TEXT DEFAULT 'drafts',
    word_count INTEGER DEFAULT 0,
    character_count INTEGER DEFAULT 0,
    tags TEXT,
    created_at DATETIME NOT NULL,
    imported_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    status TEXT DEFAULT 'pending',
    exported_to_obsidian INTEGER DEFAULT 0,
    test_run TEXT,
    something_else BLOB
);
CREATE INDEX their_index ON raw_notes (created_at);
CREATE TABLE processed_notes (
    id INTEGER PRIMARY KEY,
    note_id INTEGER NOT NULL REFERENCES raw_notes(id),
    concepts TEXT,
    primary_theme TEXT,
    note_type TEXT,
    actionability TEXT
);
CREATE TABLE threads (id INTEGER PRIMARY KEY, name TEXT NOT NULL, status TEXT, momentum_score REAL, last_activity_at TEXT, why TEXT);
CREATE TABLE thread_notes (thread_id INTEGER, note_id INTEGER);
INSERT INTO raw_notes (id, title, content, content_hash, tags, created_at) VALUES
    (1, 'First', 'Plain words', 'h1', '["a","b"]', '2026-01-02 03:04:05'),
    (2, 'Zweite 日本', 'e' || char(0x301) || ' 🎻', 'h2', 'x, y', '2026-01-02T03:04:05.678Z'),
    (4, '', 'No title', 'h4', NULL, '2026-01-02T05:04:05+02:00');
INSERT INTO raw_notes (id, title, content, content_hash, created_at, test_run) VALUES
    (3, 'Test', 'never shown', 'h3', '2026-01-02 03:04:05', 'run-1');
INSERT INTO processed_notes (note_id, concepts, primary_theme, note_type, actionability) VALUES
    (1, '["tide","moon"]', 'sea', 'idea', 'someday');
INSERT INTO threads (id, name, status) VALUES (7, 'Petrel', 'active');
INSERT INTO thread_notes VALUES (7, 1);
