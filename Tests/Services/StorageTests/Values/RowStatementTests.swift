import Foundation
import GRDB
import Testing

@testable import Storage

/// Values that are bound straight to SQLite are stored as GRDB stores them.
@Suite struct RowStatements {
    private let sql = "INSERT INTO t (number, text, bytes) VALUES (?, ?, ?)"

    private func with(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { database in
            try database.execute(sql: "CREATE TABLE t (number, text, bytes)")
            try body(database)
        }
    }

    private func stored(_ database: Database) throws -> [[DatabaseValue]] {
        try Row.fetchAll(database, sql: "SELECT number, text, bytes FROM t ORDER BY rowid").map {
            Array($0.databaseValues)
        }
    }

    @Test func `odd values are stored as by GRDB`() throws {
        let numbers: [Int64?] = [nil, 0, -1, .min, .max]
        let texts: [String?] = [nil, "", "a", "é👩‍👧", "before\u{0}after", String(repeating: "x", count: 70_000)]
        let bytes = [Data(), Data([0]), Data(0...255)]
        try with { database in
            for number in numbers {
                for text in texts {
                    for data in bytes {
                        try database.execute(sql: sql, arguments: [number, text, data])
                    }
                }
            }
            let expected = try stored(database)
            try database.execute(sql: "DELETE FROM t")
            let statement = try RowStatement(database, sql)
            for number in numbers {
                for text in texts {
                    for data in bytes {
                        try statement.bind(number, at: 1)
                        try statement.bind(text, at: 2)
                        try statement.bind(data, at: 3)
                        try statement.run()
                    }
                }
            }
            #expect(try stored(database) == expected)
        }
    }

    @Test func `a statement that GRDB or an earlier use left half run takes new values`() throws {
        try with { database in
            try database.cachedStatement(sql: sql).execute(arguments: [1, "one", Data([1])])
            for number in [2, 3] as [Int64] {
                let statement = try RowStatement(database, sql)
                try statement.bind(number, at: 1)
                try statement.bind(String(number), at: 2)
                try statement.bind([UInt8(number)], at: 3)
                try statement.run()
            }
            #expect(try stored(database).map { Int64.fromDatabaseValue($0[0]) } == [1, 2, 3])
            let reading = "SELECT number FROM t WHERE number >= ? ORDER BY number"
            // A cursor that stops at its first row.
            _ = try Row.fetchOne(try database.cachedStatement(sql: reading), arguments: [1])
            for number in [3, 2] as [Int64] {
                let statement = try RowStatement(database, reading)
                try statement.bind(number, at: 1)
                #expect(try statement.integer() == number)
            }
        }
    }

    @Test func `a value for a parameter that does not exist is an error`() throws {
        try with { database in
            let statement = try RowStatement(database, sql)
            #expect(throws: DatabaseError.self) { try statement.bind(1, at: 4) }
        }
    }
}
