extension Migrations {
    /// Vectors of the texts of goals and actions.
    ///
    /// `gateway_goal_meaning` has one row: the space that meanings are compared in. `gateway_goal_texts` has the texts that wait
    /// for a vector, with the rows that are matched again once they have one.
    static let goalMeaning = """
        CREATE TABLE gateway_goal_meaning (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            space_id INTEGER,
            dimensions INTEGER
        );
        CREATE TABLE gateway_goal_vectors (
            space_id INTEGER NOT NULL,
            hash BLOB NOT NULL,
            vector BLOB NOT NULL,
            PRIMARY KEY (space_id, hash)
        ) WITHOUT ROWID;
        CREATE TABLE gateway_goal_texts (
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            hash BLOB NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_goal_texts_hash ON gateway_goal_texts (hash, kind, id);
        """
}
