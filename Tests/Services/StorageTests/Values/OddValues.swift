import Foundation
import GRDB
import Storage
import StoreTestSupport
import TestSupport

/// Files whose tables hold whatever another program may have left there.
struct OddValues {
    /// The tables that other programs write.
    static let tables = [
        "raw_notes", "processed_notes", "threads", "thread_notes", "thread_tasks", "note_associations", "chat_sessions",
        "conversations", "conversation_memories", "device_tokens",
    ]

    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed) }

    /// A value of any type, as SQL.
    mutating func literal() -> String {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...2: "NULL"
        case 3...8: String(Int.random(in: 0...12, using: &generator))
        case 9: "9223372036854775807"
        case 10: "-9223372036854775808"
        case 11: ["1e999", "-1e999", "0.5", "-0.0", "1e300", "1e19"].randomElement(using: &generator) ?? ""
        case 12: "CAST(x'\(hex(8))' AS TEXT)"
        case 13: "'a' || char(0) || 'tide'"
        case 14: "'2026-01-0\(Int.random(in: 1...9, using: &generator)) 03:04:05'"
        case 15:
            ["'[\"a\",1]'", "'[1e999]'", "'{'", "'active'", "'user'", "''", "'9999-12-31T23:59:60-23:59'"]
                .randomElement(using: &generator) ?? ""
        case 16...18: "'tide \(Int.random(in: 0...99, using: &generator))'"
        case 19: "zeroblob(\(Int.random(in: 0...64, using: &generator)))"
        case 20: "x'\(hex(4 * Int.random(in: 0...6, using: &generator)))'"
        case 21: "CAST('[0.5,-1]' AS BLOB)"
        default: "'\(String(repeating: "moon ", count: Int.random(in: 0...200, using: &generator)))'"
        }
    }

    /// A value of ten million bytes, as SQL.
    mutating func huge() -> String {
        ["zeroblob(10000000)", "replace(hex(zeroblob(5000000)), '0', 'm')", "CAST(zeroblob(10000000) AS TEXT)"]
            .randomElement(using: &generator) ?? ""
    }

    private mutating func hex(_ bytes: Int) -> String {
        (0..<bytes).map { _ in
            let digits = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// A statement that writes a row of any values.
    mutating func insertion(into table: String, _ columns: [String], clause: String = "") -> String {
        let values = columns.map { _ in literal() }
        return
            "INSERT\(clause) INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// The columns of the tables of a file.
    static func columns(_ database: Database) throws -> [(table: String, columns: [String])] {
        try tables.compactMap { table in
            let names = try String.fetchAll(
                database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
            return names.isEmpty ? nil : (table, names)
        }
    }

    /// Takes types, keys and constraints away, as a copy by `CREATE TABLE … AS SELECT` does.
    static func loosen(_ database: Database) throws {
        for (table, names) in try columns(database) {
            try database.execute(
                sql: """
                    CREATE TABLE loose_\(table) (\(names.joined(separator: ", ")));
                    INSERT INTO loose_\(table) SELECT * FROM \(table);
                    DROP TABLE \(table);
                    ALTER TABLE loose_\(table) RENAME TO \(table);
                    """)
        }
    }

    /// Fills every table; rows that a constraint refuses are left out.
    mutating func fill(_ database: Database, rows: Int, huge hugeValues: Int = 0) throws {
        for (table, names) in try Self.columns(database) {
            for _ in 0..<rows {
                // A key that is no whole number is refused even so.
                try? database.execute(sql: insertion(into: table, names, clause: " OR IGNORE"))
            }
            for _ in 0..<hugeValues {
                guard let column = names.filter({ !$0.hasSuffix("id") }).randomElement(using: &generator) else {
                    continue
                }
                try database.execute(
                    sql:
                        "UPDATE OR IGNORE \(table) SET \(column) = \(huge()) WHERE rowid = (SELECT max(rowid) FROM \(table))"
                )
            }
        }
    }
}

/// The schemas in which files occur.
enum FileKind: String, CaseIterable, Sendable {
    case ours, existing, original

    /// Makes the tables of a file that the gateway has not opened yet.
    func make(_ temporary: TemporaryDatabase, loosely: Bool) throws {
        if self == .ours {
            try temporary.open().close()
            // What is ours goes, so that the file is opened for the first time once more.
            try temporary.sql { database in
                let own = try String.fetchAll(
                    database,
                    sql: """
                        SELECT name FROM sqlite_master WHERE type = 'table'
                        AND (name LIKE 'gateway%' OR name LIKE 'grdb%')
                        """)
                let triggers = try String.fetchAll(
                    database, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
                for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger)") }
                for table in own { try database.execute(sql: "DROP TABLE \(table)") }
            }
        } else {
            guard let url = Bundle.module.url(forResource: rawValue, withExtension: "sql", subdirectory: "Fixtures")
            else { throw CocoaError(.fileNoSuchFile) }
            let sql = try String(contentsOf: url, encoding: .utf8)
            try temporary.sql { try $0.execute(sql: sql) }
        }
        if loosely { try temporary.sql(OddValues.loosen) }
    }
}

extension TemporaryDatabase {
    /// Runs statements as another program does: on a connection of its own, without references.
    func sql(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction(body)
        try queue.close()
    }
}
