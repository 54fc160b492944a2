package import Database
package import GatewayAPI

/// The rows of an import that were not added.
package struct GoalImport: Sendable, Hashable {
    /// Refusals that are reported at most.
    static let maxRefusals = 200

    /// Rows that were added, by table.
    package var added: [String: Int] = [:]
    /// Rows that were there already.
    package var same = 0
    /// The first refusals.
    package var refused: [GoalImportRefusal] = []
    /// The number of all refusals.
    package var refusals = 0

    package init() {}

    /// Counts a row that was not added.
    package mutating func refuse(_ table: String, _ row: String, _ reason: String) {
        refusals += 1
        guard refused.count < Self.maxRefusals else { return }
        refused.append(GoalImportRefusal(table: table, row: String(row.prefix(64)), reason: reason))
    }
}

/// A row to import, with every value as it was.
package struct GoalImportRow: Sendable {
    package let table: GoalTable
    package var columns: [(name: String, value: SQLCell)]

    package init(table: GoalTable, columns: [(name: String, value: SQLCell)]) {
        (self.table, self.columns) = (table, columns)
    }

    /// The values of the key, as text for reports.
    var key: String {
        table.keys.map { key in columns.first { $0.name == key }?.value.asText ?? "" }.joined(separator: " ")
    }
}

/// Import and export of whole tables.
package struct GoalTransferStore: Sendable {
    let tables: GoalTables

    /// Rows of an export at most.
    static let maxExported = 3_000_000
    /// The first line of an export.
    static let header = #"{"format":"selene-goals","version":1}"#
    /// Bytes of one part of an export, about.
    private static let partBytes = 64 << 10

    // MARK: Export

    /// Returns all rows as JSON lines, in parts, from one snapshot.
    ///
    /// The same rows give the same bytes. Reals are `{"r": "0.1"}`, the shortest decimal that reads back to the last bit; blobs
    /// are `{"b": "<hex>"}`.
    package func export() async throws -> [String] {
        // An export has the day of each action.
        try await tables.matchChanges()
        return try await tables.read { session in
            let schema = try GoalSchema(session)
            var parts: [String] = []
            var part = Self.header + "\n"
            var count = 0
            for table in GoalTable.all {
                guard let columns = schema.columns[table.name].map({ GoalColumns($0) }) else { continue }
                let order = table.keys.joined(separator: ", ")
                try session.each("SELECT \(columns.list) FROM \(table.name) ORDER BY \(order)", []) { row in
                    part += Self.line(table, columns.names, row)
                    count += 1
                    guard count <= Self.maxExported else {
                        throw StorageError(.conflict, "there are more than \(Self.maxExported) rows to export")
                    }
                    if part.utf8.count >= Self.partBytes {
                        parts.append(part)
                        part = ""
                    }
                }
            }
            return parts + [part]
        }
    }

    private static func line(_ table: GoalTable, _ columns: [String], _ row: SQLRow) -> String {
        var json = Array(#"{"table":"\#(table.name)","row":{"#.utf8)
        for (index, (column, value)) in zip(columns, row.cells).enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            JSONBytes.append(column, to: &json)
            json.append(UInt8(ascii: ":"))
            JSONBytes.append(exported(value), to: &json)
        }
        return String(decoding: json, as: UTF8.self) + "}}\n"
    }

    private static func exported(_ value: SQLCell) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .object(["r": .string("\(number)")])
        case .text(let text): .string(text)
        case .bytes(let bytes): .object(["b": .string(Hexadecimal.text(bytes))])
        }
    }

    static func imported(_ value: JSONValue) -> SQLCell? {
        switch value {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .string(let text): return .text(text)
        case .object(let members) where members.count == 1:
            if case .string(let text)? = members["r"] { return Double(text).map { .real($0) } }
            guard case .string(let text)? = members["b"] else { return nil }
            return Hexadecimal.bytes(text).map { .bytes(Array($0)) }
        default: return nil
        }
    }
}
