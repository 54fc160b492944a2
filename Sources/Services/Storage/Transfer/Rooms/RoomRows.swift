import Cryptography
package import Database

/// A row of a room's table, as any store holds it.
package struct RoomRow: TransferRow {
    package let key: RowKey
    let table: String
    let cells: [String: SQLCell]

    package var title: String { "\(table) \(key.title)" }

    package var hash: [UInt8] {
        var hasher = SHA256()
        for (name, cell) in cells.sorted(by: { $0.key < $1.key }) {
            hasher.update(data: Array(name.utf8) + Self.form(cell))
        }
        return Array(hasher.finalize())
    }

    package func isSame(as other: RoomRow) -> Bool {
        cells.allSatisfy { name, cell in other.cells[name].map { Self.form($0) == Self.form(cell) } ?? true }
    }

    /// A value's form, the same in all stores: one holds a whole number as an integer that another has as a floating-point number.
    private static func form(_ cell: SQLCell) -> [UInt8] {
        let (kind, bytes): (Character, [UInt8]) =
            switch cell {
            case .null: ("n", [])
            case .integer(let number): ("i", Array(String(number).utf8))
            case .real(let number):
                Int64(exactly: number).map { ("i", Array(String($0).utf8)) }
                    ?? ("r", Array(String(number.bitPattern).utf8))
            case .text(let text): ("t", Array(text.utf8))
            case .bytes(let bytes): ("b", bytes)
            }
        return Array("\(kind)\(bytes.count):".utf8) + bytes
    }
}

/// The rows of a room's table in one store.
struct RoomRows: TransferTable {
    let store: any SQLStore
    let table: RoomTable
    let columns: [SQLColumn]
    let states: String

    private var names: String { columns.map(\.name).joined(separator: ", ") }

    /// The key's columns, texts by their bytes.
    private var key: String {
        table.key.map { name in
            let isText = columns.first { $0.name == name }?.kind == .text
            return isText ? name + store.dialect.byBytes : name
        }.joined(separator: ", ")
    }

    private func marks(_ count: Int, from first: Int = 1) -> String {
        (0..<count).map { "$\(first + $0)" }.joined(separator: ", ")
    }

    func page(after key: RowKey?, through last: RowKey?) async throws -> TransferRows<RoomRow> {
        var (conditions, values): ([String], [SQLValue]) = ([], [])
        for (sign, bound) in [(">", key), ("<=", last)] {
            guard let bound else { continue }
            conditions.append("(\(self.key)) \(sign) (\(marks(table.key.count, from: values.count + 1)))")
            values += bound.values
        }
        let found = try await store.rows(
            """
            SELECT \(names) FROM \(table.name)\(conditions.isEmpty ? "" : " WHERE ")\(conditions.joined(separator: " AND "))
            ORDER BY \(self.key) LIMIT \(table.pageSize)
            """, values)
        let rows = try found.map(row)
        return TransferRows(rows, last: rows.last?.key)
    }

    func rows(_ keys: [RowKey]) async throws -> [RoomRow] {
        try await store.snapshot { session in try keys.compactMap { try find($0, session) } }
    }

    private func find(_ key: RowKey, _ session: any SQLSession) throws -> RoomRow? {
        try session.first(
            "SELECT \(names) FROM \(table.name) WHERE (\(self.key)) = (\(marks(table.key.count)))", key.values
        ).map(row)
    }

    private func row(_ found: SQLRow) throws -> RoomRow {
        let cells = Dictionary(zip(columns.map(\.name), found.cells)) { first, _ in first }
        guard let key = RowKey(table.key.map { cells[$0] ?? .null }) else {
            throw StorageError(.failed, "a row of \(table.name) has a key that is neither a text nor a whole number")
        }
        return RoomRow(key: key, table: table.name, cells: cells)
    }

    func apply(_ rows: [RoomRow], removing: [RowKey], _ state: TransferState) async throws {
        try await store.transaction { session in
            try state.check(in: states, session)
            for key in removing {
                try session.run(
                    "DELETE FROM \(table.name) WHERE (\(self.key)) = (\(marks(table.key.count)))", key.values)
            }
            for row in rows { try write(row, session) }
        }
    }

    /// Writes the columns that both stores have. A row with a value that does not fit stays different, which the migration says.
    private func write(_ row: RoomRow, _ session: any SQLSession) throws {
        var (own, values): ([String], [SQLValue]) = ([], [])
        for column in columns {
            guard let cell = row.cells[column.name] else { continue }
            guard let value = column.value(cell) else { return }
            own.append(column.name)
            values.append(value)
        }
        let others = own.filter { !table.key.contains($0) }
        let change =
            others.isEmpty
            ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        try session.run(
            """
            INSERT INTO \(table.name) (\(own.joined(separator: ", ")))\(session.dialect.givesID) VALUES (\(marks(own.count)))
            ON CONFLICT (\(table.key.joined(separator: ", "))) DO \(change)
            """, values)
    }
}
