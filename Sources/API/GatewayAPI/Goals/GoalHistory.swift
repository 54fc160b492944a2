/// One change of one row, by any writer.
public struct GoalChange: Codable, Sendable, Hashable {
    /// Counts all changes.
    public var number: Int64
    /// When, with milliseconds, in UTC.
    public var at: String
    /// The table.
    public var table: String
    /// The row's key.
    public var row: String
    /// `insert`, `update`, `delete`, or `found` for a row that was there before history began.
    public var operation: String
    /// Who: a key's name, `chat`, `import`; absent for another program.
    public var actor: String?
    /// The turn or request that it belongs to.
    public var turn: String?
    /// Why.
    public var reason: String?
    /// The columns that differ.
    public var fields: [GoalFieldChange]

    /// Creates a value from its fields.
    public init(
        number: Int64, at: String, table: String, row: String, operation: String, actor: String? = nil,
        turn: String? = nil, reason: String? = nil, fields: [GoalFieldChange] = []
    ) {
        self.number = number
        self.at = at
        self.table = table
        self.row = row
        self.operation = operation
        self.actor = actor
        self.turn = turn
        self.reason = reason
        self.fields = fields
    }
}

/// The change of one column.
public struct GoalFieldChange: Codable, Sendable, Hashable {
    /// The column's name.
    public var column: String
    /// The value before; absent if there was none, null for NULL. Blobs and other odd values are `{"blob":
    /// "<hex>"}`.
    public var old: JSONValue?
    /// The value after; absent if there is none.
    public var new: JSONValue?

    /// Creates a value from its fields.
    public init(
        column: String, old: JSONValue? = nil, new: JSONValue? = nil
    ) {
        self.column = column
        self.old = old
        self.new = new
    }
}

/// The reply of `GET /api/goals/history`, latest first.
public struct GoalChangeList: Codable, Sendable, Hashable {
    /// The changes of this page.
    public var changes: [GoalChange]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case changes
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        changes: [GoalChange] = [], nextCursor: String? = nil
    ) {
        self.changes = changes
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/goals/undo`: exactly one field.
public struct GoalUndo: Codable, Sendable, Hashable {
    /// The number of one change.
    public var change: Int64?
    /// A turn, with all of its changes.
    public var turn: String?

    /// Creates a value from its fields.
    public init(
        change: Int64? = nil, turn: String? = nil
    ) {
        self.change = change
        self.turn = turn
    }
}

/// The reply of `POST /api/goals/undo`.
public struct GoalUndone: Codable, Sendable, Hashable {
    /// The turn of the undoing, which can be undone in turn.
    public var turn: String
    /// Numbers of the changes that were undone.
    public var undone: [Int64]

    /// Creates a value from its fields.
    public init(
        turn: String, undone: [Int64] = []
    ) {
        self.turn = turn
        self.undone = undone
    }
}
