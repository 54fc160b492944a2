/// The reply of `POST /api/goals/import`.
public struct GoalImportReport: Codable, Sendable, Hashable {
    /// `jsonl`, `csv`, `sqlite-python` or `sqlite-swift`.
    public var format: String
    /// Rows that were added, by table.
    public var added: [String: Int]
    /// Rows that were there already.
    public var same: Int
    /// Rows that were not added, 200 at most.
    public var refused: [GoalImportRefusal]
    /// The number of rows that were not added.
    public var refusals: Int
    /// The turn, which can be undone.
    public var turn: String

    /// Creates a value from its fields.
    public init(
        format: String, added: [String: Int], same: Int, refused: [GoalImportRefusal] = [], refusals: Int,
        turn: String
    ) {
        self.format = format
        self.added = added
        self.same = same
        self.refused = refused
        self.refusals = refusals
        self.turn = turn
    }
}

/// A row that was not added.
public struct GoalImportRefusal: Codable, Sendable, Hashable {
    /// The table, or `line` for a text.
    public var table: String
    /// The row's key or number.
    public var row: String
    /// Why.
    public var reason: String

    /// Creates a value from its fields.
    public init(
        table: String, row: String, reason: String
    ) {
        self.table = table
        self.row = row
        self.reason = reason
    }
}

/// The reply of `POST /api/goals/rebuild`.
public struct GoalRebuilt: Codable, Sendable, Hashable {
    /// The number of rows after the rebuild.
    public var contributions: Int
    /// Rows that differed from before; 0 unless another program wrote them.
    public var changed: Int

    /// Creates a value from its fields.
    public init(
        contributions: Int, changed: Int
    ) {
        self.contributions = contributions
        self.changed = changed
    }
}
