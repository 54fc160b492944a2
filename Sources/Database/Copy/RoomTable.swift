/// A table of a room that moves from one store to another as it is: its columns have the same names and meanings in both engines.
package struct RoomTable: Sendable {
    package let name: String
    /// The columns that name a row, with a unique index.
    package let key: [String]
    /// The number of rows that are read at once.
    package let pageSize: Int
    /// Whether the key is a column of ``SQLDialect/id``.
    package let isNumbered: Bool

    /// Columns that stay out, since their values belong to the store.
    package var without: Set<String> = []
    /// Columns like ``without`` that ask for a value, with that of a new row.
    package var constants: [String: SQLValue] = [:]
    /// The columns of the other unique indexes. A row that moves may have values that another one has had until now.
    package var unique: [[String]] = []
    /// Columns with numbers of keys, which another store may number otherwise.
    package var keys: Set<String> = []
    /// The column with the number of an embedding space, beside ``key``. Each store numbers its spaces.
    package var space: String?
    /// SQL over the columns: the rows that move; nil for all.
    package var condition: String?
    /// What the rows are that do not move.
    package var rest = "rows whose key is of another kind stay"
    /// A row that must exist where a row is written: in another table, by its key and a column of this one.
    package var parent: (table: String, key: String, column: String)?
    /// Brings values that the engines hold in different forms into a common one.
    package var unify: (@Sendable (inout [String: SQLCell]) -> Void)?
    /// Whether a store can have the table. A file's may be another program's.
    package var isUsable: (@Sendable (any SQLSession) throws -> Bool)?
    /// Runs a body that writes rows, so that no trigger takes it for a change of theirs.
    package var unrecorded: (@Sendable (any SQLSession, () throws -> Void) throws -> Void)?
    /// Another way to read and write the rows.
    package var view: RoomView?

    /// A table whose rows are named by what they hold.
    ///
    /// - Parameter pageSize: Fewer for rows that may be long.
    package init(_ name: String, key: String..., pageSize: Int = 200) {
        self.init(name, keys: key, pageSize: pageSize)
    }

    package init(_ name: String, keys: [String], pageSize: Int = 200) {
        (self.name, key, self.pageSize, isNumbered) = (name, keys, pageSize, false)
    }

    /// A table that numbers its rows.
    package init(_ name: String, id: String, pageSize: Int = 200) {
        (self.name, key, self.pageSize, isNumbered) = (name, [id], pageSize, true)
    }

    /// The table with other settings.
    package func with(_ change: (inout RoomTable) -> Void) -> RoomTable {
        var table = self
        change(&table)
        return table
    }
}

/// The rows of tables that are another program's in a file, and the store's own on a server.
package struct RoomView: Sendable {
    package let columns: [SQLColumn]
    /// The tables that it stands for, in each engine.
    package let tables: [SQLDialect: [String]]
    /// The columns of the file's table that the rows have.
    package let known: Set<String>
    /// A `SELECT` in parentheses.
    package let rows: @Sendable (any SQLSession) throws -> String
    /// Writes rows that the store can hold. Others stay different.
    package let write: @Sendable ([[String: SQLCell]], any SQLSession) throws -> Void
    package let remove: @Sendable (RowKey, any SQLSession) throws -> Void

    package init(
        _ columns: [SQLColumn], tables: [SQLDialect: [String]], known: Set<String>,
        rows: @escaping @Sendable (any SQLSession) throws -> String,
        write: @escaping @Sendable ([[String: SQLCell]], any SQLSession) throws -> Void,
        remove: @escaping @Sendable (RowKey, any SQLSession) throws -> Void
    ) {
        (self.columns, self.tables, self.known) = (columns, tables, known)
        (self.rows, self.write, self.remove) = (rows, write, remove)
    }
}

extension RoomTable {
    /// The tables that hold the rows in an engine; the first one numbers them.
    package func tables(in dialect: SQLDialect) -> [String] { view?.tables[dialect] ?? [name] }
}
