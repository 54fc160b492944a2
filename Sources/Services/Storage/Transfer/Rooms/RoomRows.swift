import Database

/// The rows of a room's table in one store; those of one embedding space, where the table has its vectors.
struct RoomRows: TransferTable {
    /// Rows of one statement, and its values.
    private static let (mostRows, mostValues) = (50, 2000)

    let store: any SQLStore
    let table: RoomTable
    let columns: [SQLColumn]
    /// The number of the space in this store; nil for a table of no space, 0 for a space that the store lacks.
    let space: Int64?
    let keys: KeyNumbers
    let states: String

    /// The columns that move.
    private var moved: [SQLColumn] {
        columns.filter {
            !table.without.contains($0.name) && table.constants[$0.name] == nil && $0.name != table.space
        }
    }

    private func list(_ names: [String]) -> String { names.map(\.quotedSQL).joined(separator: ", ") }

    private func kind(_ name: String) -> SQLColumn.Kind? { columns.first { $0.name == name }?.kind }

    /// The key's columns, texts by their bytes.
    private var key: [String] {
        table.key.map { $0.quotedSQL + (kind($0) == .text ? store.dialect.byBytes : "") }
    }

    /// Conditions for the rows that move.
    private var conditions: [String] {
        var found: [String] = []
        if let condition = table.condition { found.append(condition) }
        if let parent = table.parent { found.append(hasParent(parent, table.name)) }
        if let name = table.space, let space { found.append("\(name.quotedSQL) = \(space)") }
        if store.dialect == .sqlite, table.view == nil { found += table.key.map(isHeld) }
        return found
    }

    private func hasParent(_ parent: (table: String, key: String, column: String), _ row: String) -> String {
        "EXISTS (SELECT 1 FROM \(parent.table) WHERE \(parent.table).\(parent.key) = \(row).\(parent.column))"
    }

    /// SQL for whether a file's column holds what its type says: another program may have written any kind.
    private func isHeld(_ name: String) -> String {
        let column = name.quotedSQL
        return switch kind(name) {
        case .integer: "typeof(\(column)) = 'integer'"
        case .bytes: "typeof(\(column)) = 'blob'"
        case .text, .any: "(typeof(\(column)) = 'text' AND instr(\(column), char(0)) = 0)"
        default: "1 = 0"
        }
    }

    private func source(_ session: any SQLSession) throws -> String {
        try table.view.map { "\(try $0.rows(session)) AS moved" } ?? table.name
    }

    /// `FROM` and `WHERE` for the rows that move.
    private func from(_ conditions: [String], _ session: any SQLSession) throws -> String {
        let all = (self.conditions + conditions).map { "(\($0))" }.joined(separator: " AND ")
        return "FROM \(try source(session))\(all.isEmpty ? "" : " WHERE ")\(all)"
    }

    func count(_ session: any SQLSession) throws -> Int {
        try session.first("SELECT count(*) \(from([], session))")?.count(0) ?? 0
    }

    private func select(
        _ conditions: [String], _ values: [SQLValue], _ session: any SQLSession, end: String = ""
    ) throws -> [RoomRow] {
        let names = moved.map(\.name)
        return try session.rows(
            "SELECT \(list(names)) \(from(conditions, session)) \(end)", values
        ).map { found in
            var cells = Dictionary(zip(names, found.cells)) { first, _ in first }
            guard let key = RowKey(table.key.map { cells[$0] ?? .null }) else {
                throw StorageError(.failed, "a row of \(table.name) has a key that cannot be read")
            }
            for name in table.keys { cells[name] = cells[name].map(keys.common) }
            table.unify?(&cells)
            return RoomRow(key: key, table: table.name, cells: cells)
        }
    }

    func page(after key: RowKey?, through last: RowKey?) async throws -> TransferRows<RoomRow> {
        var (conditions, values): ([String], [SQLValue]) = ([], [])
        let columns = self.key.joined(separator: ", ")
        for (sign, bound) in [(">", key), ("<=", last)] {
            guard let bound else { continue }
            let start = values.count + 1
            // SQLite finds the first column in the index, and not the list.
            conditions.append("\(self.key[0]) \(sign.prefix(1))= $\(start)")
            conditions.append("(\(columns)) \(sign) (\(Self.marks(bound.values.count, from: start)))")
            values += bound.values
        }
        let (wanted, arguments) = (conditions, values)
        let rows = try await store.snapshot { session in
            try select(wanted, arguments, session, end: "ORDER BY \(columns) LIMIT \(table.pageSize)")
        }
        if let key, let next = rows.last?.key, next <= key {
            throw StorageError(.failed, "a key of \(table.name) near \(next.title) cannot be read as a text")
        }
        return TransferRows(rows, last: rows.last?.key)
    }

    func rows(_ keys: [RowKey]) async throws -> [RoomRow] {
        try await store.snapshot { session in
            try parts(of: keys).flatMap { part in
                let (condition, values) = among(table.key, part.map(\.values))
                return try select([condition], values, session)
            }
        }
    }

    func apply(_ rows: [RoomRow], removing: [RowKey], _ state: TransferState) async throws {
        try await store.transaction { session in
            try state.check(in: states, session)
            func write() throws {
                if let view = table.view {
                    for key in removing { try view.remove(key, session) }
                    return try view.write(rows.map(\.cells), session)
                }
                for part in parts(of: removing) {
                    let (condition, values) = among(table.key, part.map(\.values))
                    try session.run("DELETE \(from([condition], session))", values)
                }
                for part in parts(of: rows.filter(canHold)) { try insert(part, session) }
            }
            if let unrecorded = table.unrecorded { try unrecorded(session, write) } else { try write() }
        }
    }

    // MARK: Writing

    private func stored(_ row: RoomRow, _ column: SQLColumn) -> SQLValue? {
        let cell = row.cells[column.name] ?? .null
        return column.value(table.keys.contains(column.name) ? keys.own(cell) : cell)
    }

    /// Rows that the table cannot hold stay different, which the migration says.
    func canHold(_ row: RoomRow) -> Bool {
        moved.allSatisfy { row.cells[$0.name] == nil || stored(row, $0) != nil }
    }

    /// Writes the columns that both stores have.
    private func insert(_ rows: [RoomRow], _ session: any SQLSession) throws {
        guard let first = rows.first, space != 0 else { return }
        try makeRoom(for: rows, session)
        let given = table.constants.merging(space.map { [table.space ?? "": .integer($0)] } ?? [:]) { first, _ in first
        }
        .sorted { $0.key < $1.key }
        let common = moved.filter { first.cells[$0.name] != nil }
        let names = common.map(\.name) + given.map(\.key)
        let (unique, others) = ((table.space.map { [$0] } ?? []) + table.key, common.map(\.name))
        let changes = others.filter { !table.key.contains($0) }.map { "\($0.quotedSQL) = excluded.\($0.quotedSQL)" }
        func write(_ rows: some Collection<RoomRow>) throws {
            try session.run(
                """
                WITH coming (\(list(names))) AS (VALUES \(tuples(rows.count, names.count)))
                INSERT INTO \(table.name) (\(list(names)))\(session.dialect.givesID)
                SELECT \(list(names)) FROM coming WHERE \(table.parent.map { hasParent($0, "coming") } ?? "1 = 1")
                ON CONFLICT (\(list(unique))) DO \(changes.isEmpty ? "NOTHING" : "UPDATE SET ")\(changes.joined(separator: ", "))
                """, rows.flatMap { row in common.compactMap { stored(row, $0) } + given.map(\.value) })
        }
        do {
            try write(rows)
        } catch let error as StorageError where error.code == .conflict && session.dialect == .sqlite {
            // Another program's table may refuse a row, which stays different.
            for row in rows { do { try write([row]) } catch let error as StorageError where error.code == .conflict {} }
        }
    }

    /// Gives other rows that have what must be unique other values, until their turn comes.
    private func makeRoom(for rows: [RoomRow], _ session: any SQLSession) throws {
        for names in table.unique where names.allSatisfy({ kind($0) != nil }) {
            let places = columns.filter { names.contains($0.name) }.sorted { $0.name < $1.name }
            var wanted: [[SQLValue]: RowKey] = [:]
            for row in rows {
                let values = places.compactMap { stored(row, $0) }
                if !values.contains(where: \.isNull) { wanted[values] = row.key }
            }
            guard let last = places.last, !wanted.isEmpty else { continue }
            let (condition, arguments) = among(places.map(\.name), Array(wanted.keys))
            for found in try session.rows(
                "SELECT \(list(table.key + places.map(\.name))) FROM \(table.name) WHERE \(condition)", arguments)
            {
                let values = zip(places, found.cells.dropFirst(table.key.count)).compactMap { $0.value($1) }
                guard let key = RowKey(found.cells.prefix(table.key.count)), let claim = wanted[values], claim != key
                else { continue }
                let (isRow, number) = (among(table.key, [key.values]), Int64.random(in: 1...(1 << 60)))
                let free: SQLValue =
                    switch last.kind {
                    case .integer: .integer(-number)
                    case .bytes: .bytes(Array("moved \(number)".utf8))
                    default: .text("moved \(number)")
                    }
                try session.run(
                    "UPDATE \(table.name) SET \(last.name.quotedSQL) = $\(isRow.values.count + 1) WHERE \(isRow.condition)",
                    isRow.values + [free])
            }
        }
    }

    // MARK: Parts of statements

    private static func marks(_ count: Int, from first: Int = 1) -> String {
        (0..<count).map { "$\(first + $0)" }.joined(separator: ", ")
    }

    private func tuples(_ count: Int, _ width: Int) -> String {
        (0..<count).map { "(\(Self.marks(width, from: 1 + $0 * width)))" }.joined(separator: ", ")
    }

    /// The condition that columns have one of some lists of values.
    private func among(_ names: [String], _ lists: [[SQLValue]]) -> (condition: String, values: [SQLValue]) {
        let columns = names.map { $0.quotedSQL + (kind($0) == .text ? store.dialect.byBytes : "") }.joined(
            separator: ", ")
        let conditions = lists.indices.map { place in
            "(\(columns)) = (\(Self.marks(names.count, from: 1 + place * names.count)))"
        }
        return (conditions.joined(separator: " OR "), lists.flatMap(\.self))
    }

    private func parts<Item>(of items: [Item]) -> [[Item]] {
        let size = max(1, min(Self.mostRows, Self.mostValues / max(1, columns.count)))
        return stride(from: 0, to: items.count, by: size).map { Array(items[$0..<min($0 + size, items.count)]) }
    }
}

extension String {
    /// The name of a column in a statement.
    var quotedSQL: String { "\"\(replacing("\"", with: "\"\""))\"" }
}

extension SQLValue {
    fileprivate var isNull: Bool {
        switch self {
        case .integer(nil), .real(nil), .bool(nil), .text(nil), .bytes(nil): true
        default: false
        }
    }
}
