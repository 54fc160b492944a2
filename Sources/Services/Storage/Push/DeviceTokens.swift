import Database
import GRDB

/// The other program's table of push tokens, with the columns that the file has.
extension FileNoteTables {
    func keepToken(_ token: String, platform: String?) throws {
        let table = layout.schema.devices
        let now = try DateStyle.of(table, "created_at", in: database).now
        let known =
            try Scalar.count(database, sql: "SELECT 1 FROM device_tokens WHERE token = ?", arguments: [token]) != nil
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [("last_seen_at", now)]
        if let platform = platform ?? (known ? nil : "ios") { values.append(("platform", platform)) }
        if !known { values += [("token", token), ("created_at", now)] }
        values.removeAll { !table.names.contains($0.column) }
        guard !values.isEmpty else { return }
        let names = values.map(\.column)
        let arguments = StatementArguments(values.map(\.value))
        if known {
            try database.execute(
                sql: "UPDATE device_tokens SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE token = ?",
                arguments: arguments + [token])
        } else {
            try database.execute(
                sql: """
                    INSERT INTO device_tokens (\(names.joined(separator: ", ")))
                    VALUES (\(databaseQuestionMarks(count: names.count)))
                    """, arguments: arguments)
        }
    }

    func forgetToken(_ token: String) throws {
        try database.execute(sql: "DELETE FROM device_tokens WHERE token = ?", arguments: [token])
    }

    func tokens() throws -> [String: String] {
        let table = layout.schema.devices
        guard table.names.contains("token") else { return [:] }
        var devices: [String: String] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(table.bounded("d", "token", limit: 4096)) AS token,
                    \(table.bounded("d", "platform", limit: 4096)) AS platform FROM device_tokens d
                """)
        while let row = try rows.next() {
            if let token = row.text("token") { devices[token] = row.text("platform") ?? "" }
        }
        return devices
    }
}
