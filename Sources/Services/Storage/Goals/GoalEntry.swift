import GRDB
import GatewayAPI

/// An entry of the history.
struct GoalEntry {
    let number: Int64
    let table: String
    let entity: DatabaseValue
    let part: DatabaseValue
    let operation: String
    let names: [String]
    /// The values before, by column; nil if there was no row.
    let old: [String: DatabaseValue]?
    /// The values after, by column; nil if there is no row.
    let new: [String: DatabaseValue]?
    private let row: Row

    init(_ row: Row) {
        self.row = row
        number = row.integer("seq") ?? 0
        table = row.text("tbl") ?? ""
        entity = row.raw("entity")
        part = row.raw("part")
        operation = row.text("op") ?? ""
        let names = GoalRows.json(row.text("names"), as: [String].self) ?? []
        self.names = names
        func values(_ mark: String) -> [String: DatabaseValue] {
            Dictionary(
                names.prefix(GoalSchema.maxColumns).enumerated().map { ($1, row.raw("\(mark)\($0)")) },
                uniquingKeysWith: { first, _ in first })
        }
        old = ["update", "delete"].contains(operation) ? values("o") : nil
        new = operation == "delete" ? nil : values("n")
    }

    /// The change for the API. `before` is the row's entry before, for a row that another program replaced: SQLite then
    /// reports an insertion only.
    func change(before: GoalEntry?) -> GoalChange {
        let old = old ?? (operation == "insert" ? before?.new : nil)
        let columns = names + (old?.keys.filter { !names.contains($0) }.sorted() ?? [])
        let fields = columns.compactMap { column -> GoalFieldChange? in
            let (was, is_) = (old?[column], new?[column])
            guard was != is_ else { return nil }
            return GoalFieldChange(column: column, old: was.map(Self.json), new: is_.map(Self.json))
        }
        return GoalChange(
            number: number, at: Instants.iso8601(row.integer("at") ?? 0), table: table,
            row: [entity, part].compactMap(\.asText).joined(separator: " "),
            operation: operation == "insert" && old != nil ? "update" : operation, actor: row.text("actor"),
            turn: row.text("turn"), reason: row.text("reason"), fields: fields)
    }

    /// A value for clients: blobs, and numbers that JSON lacks, as objects.
    static func json(_ value: DatabaseValue) -> JSONValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): number.isFinite ? .number(number) : .object(["real": .string("\(number)")])
        case .string(let text): .string(text)
        case .blob(let data):
            .object(["blob": .string(Hexadecimal.text(data))])
        }
    }
}

/// Times with milliseconds.
enum Instants {
    /// ISO 8601 in UTC, such as `2026-11-22T07:00:00.123Z`.
    static func iso8601(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let fraction = String(max(0, rest))
        let padded = String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
        return "\(Timestamp.iso8601(seconds).dropLast()).\(padded)Z"
    }
}
