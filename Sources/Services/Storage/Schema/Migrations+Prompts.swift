extension Migrations {
    /// The user's prompts, each edit a row, and stored benchmarks.
    static let prompts = """
        CREATE TABLE gateway_prompt_versions (
            prompt_id TEXT NOT NULL CHECK (typeof(prompt_id) = 'text'),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer'),
            hash TEXT NOT NULL,
            document TEXT NOT NULL,
            created_at TEXT NOT NULL,
            PRIMARY KEY (prompt_id, number)
        ) WITHOUT ROWID;
        CREATE TABLE gateway_bench_runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            report TEXT NOT NULL,
            created_at TEXT NOT NULL
        );
        """
}
