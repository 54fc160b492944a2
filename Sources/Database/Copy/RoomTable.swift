/// A table of a room that moves from one store to another as it is: its columns have the same names and meanings in both engines.
package struct RoomTable: Sendable, Hashable {
    package let name: String
    /// The columns that name a row, integers or texts, with a unique index.
    package let key: [String]
    /// The number of rows that are read at once.
    package let pageSize: Int
    /// Whether the key is a column of ``SQLDialect/id``.
    package let isNumbered: Bool

    /// A table whose rows are named by what they hold.
    ///
    /// - Parameter pageSize: Fewer for rows that may be long.
    package init(_ name: String, key: String..., pageSize: Int = 200) {
        (self.name, self.key, self.pageSize, isNumbered) = (name, key, pageSize, false)
    }

    /// A table that numbers its rows.
    package init(_ name: String, id: String, pageSize: Int = 200) {
        (self.name, key, self.pageSize, isNumbered) = (name, [id], pageSize, true)
    }
}

/// What names a row of a ``RoomTable``. Integers are in the order of their values, before texts, which are in that of their bytes.
package struct RowKey: Hashable, Comparable, Sendable {
    private enum Part: Hashable, Comparable, Sendable {
        case integer(Int64)
        case text([UInt8])

        static func < (one: Part, other: Part) -> Bool {
            switch (one, other) {
            case (.integer(let one), .integer(let other)): one < other
            case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
            case (.integer, .text): true
            case (.text, .integer): false
            }
        }
    }

    private let parts: [Part]

    /// Reads the first cells of a row; nil when one is neither an integer nor a text.
    package init?(_ cells: some Sequence<SQLCell>) {
        var parts: [Part] = []
        for cell in cells {
            switch cell {
            case .integer(let number): parts.append(.integer(number))
            case .text(let text): parts.append(.text(Array(text.utf8)))
            case .null, .real, .bytes: return nil
            }
        }
        self.parts = parts
    }

    package var values: [SQLValue] {
        parts.map { part in
            switch part {
            case .integer(let number): .integer(number)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// The key for messages: `3` or `a/2`.
    package var title: String {
        parts.map { part in
            switch part {
            case .integer(let number): String(number)
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            }
        }.joined(separator: "/")
    }

    package static func < (one: RowKey, other: RowKey) -> Bool { one.parts.lexicographicallyPrecedes(other.parts) }
}

/// A column as its engine declares it.
package struct SQLColumn: Sendable, Hashable {
    package enum Kind: Sendable { case integer, real, bool, text, bytes }

    package let name: String
    package let kind: Kind

    /// - Parameter type: The declared type.
    package init(name: String, type: String) {
        self.name = name
        let type = type.lowercased()
        kind =
            if type.contains("int") {
                .integer
            } else if type.contains("bool") {
                .bool
            } else if type.contains("real") || type.contains("double") || type.contains("float") {
                .real
            } else if type.contains("blob") || type == "bytea" {
                .bytes
            } else {
                .text
            }
    }

    /// A cell as a value of the column; nil when it does not fit, as a text with a zero byte or in a column of integers.
    package func value(_ cell: SQLCell) -> SQLValue? {
        switch (kind, cell) {
        case (.integer, .null): .integer(nil)
        case (.real, .null): .real(nil)
        case (.bool, .null): .bool(nil)
        case (.text, .null): .text(nil)
        case (.bytes, .null): .bytes(nil)
        case (.integer, .integer(let number)): .integer(number)
        case (.real, .integer(let number)): .real(Double(number))
        case (.real, .real(let number)): .real(number)
        case (.bool, .integer(let number)): .bool(number != 0)
        case (.text, .text(let text)) where !text.utf8.contains(0): .text(text)
        case (.bytes, .bytes(let bytes)): .bytes(bytes)
        default: nil
        }
    }
}
