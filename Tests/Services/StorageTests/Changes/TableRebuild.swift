import GRDB

/// How migrations of other programs change a table in SQLite, which cannot alter most of it in place.
enum TableRebuild: String, CaseIterable, Sendable {
    case betterSQLite, drizzle, knex, renameFirst, asSelect, withoutTransaction

    /// The statements, one after the other.
    func statements(table: String, definition: String, columns: [String]) -> [String] {
        let list = columns.joined(separator: ", ")
        func create(_ name: String) -> String { "CREATE TABLE \(name) (\(definition))" }
        return switch self {
        // `db.transaction(() => { … })()` around SQLite's own twelve steps.
        case .betterSQLite:
            [
                "PRAGMA foreign_keys=OFF", "BEGIN", create("new_\(table)"),
                "INSERT INTO new_\(table) (\(list)) SELECT \(list) FROM \(table)", "DROP TABLE \(table)",
                "ALTER TABLE new_\(table) RENAME TO \(table)", "PRAGMA foreign_key_check", "COMMIT",
                "PRAGMA foreign_keys=ON",
            ]
        case .drizzle:
            [
                "PRAGMA foreign_keys=OFF", "BEGIN", create("`__new_\(table)`"),
                "INSERT INTO `__new_\(table)`(\(list)) SELECT \(list) FROM `\(table)`", "DROP TABLE `\(table)`",
                "ALTER TABLE `__new_\(table)` RENAME TO `\(table)`", "COMMIT", "PRAGMA foreign_keys=ON",
            ]
        case .knex:
            [
                "PRAGMA foreign_keys", "PRAGMA foreign_keys = OFF", "BEGIN", create("`_knex_temp_alter123`"),
                "INSERT INTO \"_knex_temp_alter123\" SELECT * FROM \"\(table)\"", "DROP TABLE \"\(table)\"",
                "ALTER TABLE \"_knex_temp_alter123\" RENAME TO \"\(table)\"", "COMMIT",
            ]
        case .renameFirst:
            [
                "BEGIN IMMEDIATE", "ALTER TABLE \(table) RENAME TO old_\(table)", create(table),
                "INSERT INTO \(table) (\(list)) SELECT \(list) FROM old_\(table)", "DROP TABLE old_\(table)", "COMMIT",
            ]
        case .asSelect:
            [
                "BEGIN", "CREATE TABLE copy AS SELECT * FROM \(table)", "DROP TABLE \(table)",
                "ALTER TABLE copy RENAME TO \(table)", "COMMIT",
            ]
        case .withoutTransaction:
            [
                "ALTER TABLE \(table) RENAME TO old_\(table)", create(table),
                "INSERT INTO \(table) (\(list)) SELECT \(list) FROM old_\(table)", "DROP TABLE old_\(table)",
            ]
        }
    }

    /// The statements for a table as it is defined in a file.
    func statements(for table: String, in database: Database) throws -> [String] {
        let sql = try String.fetchOne(
            database, sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", arguments: [table])
        let columns = try String.fetchAll(
            database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
        guard let sql, let start = sql.firstIndex(of: "("), let end = sql.lastIndex(of: ")") else { return [] }
        return statements(table: table, definition: String(sql[sql.index(after: start)..<end]), columns: columns)
    }
}
