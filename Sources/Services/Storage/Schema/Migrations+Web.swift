extension Migrations {
    /// Browser sessions and pairings. Times are seconds since 1970. Secrets and codes are stored as SHA-256.
    ///
    /// A session belongs to a key, or to `SELENE_API_TOKEN` when `key_id` is NULL; `token_binding` then ends it when the
    /// token changes. A pairing without `poll_hash` is an offer. With one it is the request of a new device, which has no
    /// scopes until it is approved.
    static let web = """
        CREATE TABLE gateway_web_sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash BLOB NOT NULL UNIQUE,
            key_id INTEGER CHECK (key_id IS NULL OR typeof(key_id) = 'integer'),
            token_binding BLOB,
            user_agent TEXT NOT NULL,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            last_used_at INTEGER NOT NULL CHECK (typeof(last_used_at) = 'integer'),
            expires_at INTEGER NOT NULL CHECK (typeof(expires_at) = 'integer')
        );
        CREATE TABLE gateway_pairings (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            code_hash BLOB NOT NULL UNIQUE,
            poll_hash BLOB,
            name TEXT NOT NULL,
            user_agent TEXT NOT NULL,
            address TEXT NOT NULL,
            scopes TEXT,
            models TEXT NOT NULL DEFAULT '',
            key_expires_at INTEGER CHECK (key_expires_at IS NULL OR typeof(key_expires_at) = 'integer'),
            requests_per_minute INTEGER,
            tokens_per_day INTEGER,
            granted_by INTEGER,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            expires_at INTEGER NOT NULL CHECK (typeof(expires_at) = 'integer')
        );
        """
}
