package import Database
import Foundation
import GRDB
import GatewayAPI
import Synchronization

/// SQLite's connection as the rooms see it.
struct SQLiteSession: SQLSession {
    let database: Database
    let now: StoreClock
    /// The layouts of the file that are known already.
    private let layouts: LayoutCache?
    private let recent = RecentStatements()

    init(database: Database, now: StoreClock, layouts: LayoutCache? = nil) {
        (self.database, self.now, self.layouts) = (database, now, layouts)
    }

    var dialect: SQLDialect { .sqlite }

    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try naming {
            try statement(sql).execute(arguments: Self.arguments(values))
            return database.changesCount
        }
    }

    func rows(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] {
        var found: [SQLRow] = []
        try each(sql, values) { found.append($0) }
        return found
    }

    func each(_ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
        try naming {
            let statement = try statement(sql)
            let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(values))
            let columns = Int32(clamping: statement.columnCount)
            while try cursor.next() != nil {
                try body(SQLRow((0..<columns).map { unsafe SQLCell(statement.sqliteStatement, column: $0) }))
            }
        }
    }

    /// Names a row that the file refuses, which a body may go on without. Other errors are named at the end of the
    /// transaction.
    private func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw StorageError(error, path: "")
        }
    }

    func clock() throws -> StoreClock { now }

    func lock(_ name: String) throws {}

    func noteTables() throws -> any NoteTables {
        FileNoteTables(database: database, layout: try (layouts ?? LayoutCache()).current(database), now: now)
    }

    private func statement(_ sql: String) throws -> Statement {
        if let known = recent.statement(sql) { return known }
        let statement = try database.cachedStatement(sql: Self.numbered(sql))
        recent.add(sql, statement)
        return statement
    }

    /// Writes parameters as SQLite counts them: `?1` in place of `$1`. Other `$`, as in a JSON path, stay.
    private static func numbered(_ sql: String) -> String {
        var bytes = Array(sql.utf8)
        for (place, next) in zip(bytes.indices, bytes.dropFirst()) where bytes[place] == UInt8(ascii: "$") {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) { bytes[place] = UInt8(ascii: "?") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func arguments(_ values: [SQLValue]) -> StatementArguments {
        StatementArguments(
            values.map { value -> DatabaseValue in
                switch value {
                case .integer(let number): number.databaseValue
                case .real(let number): number.databaseValue
                case .bool(let isTrue): isTrue.databaseValue
                // A text would end at U+0000. It is stored as PostgreSQL does it.
                case .text(let text): text.map(SQLCell.withoutZero).databaseValue
                case .bytes(let bytes): bytes.map { Data($0) }.databaseValue
                }
            })
    }
}

extension SQLiteSession {
    /// A session of a transaction that is the file's own matter, with the machine's clock.
    init(_ database: Database) {
        self.init(database: database, now: StoreClock(now: Timestamp.milliseconds, steadySince: 0))
    }
}

/// The latest statements of a session, so that a loop over rows looks for its statements by their place in memory, as equal
/// texts at one place are known to be equal.
private final class RecentStatements {
    private static let most = 4
    private var found: [(sql: String, statement: Statement)] = []

    func statement(_ sql: String) -> Statement? { found.first { $0.sql == sql }?.statement }

    func add(_ sql: String, _ statement: Statement) {
        if found.count == Self.most { found.removeFirst() }
        found.append((sql, statement))
    }
}

extension GatewayDatabase: SQLStore {
    package var dialect: SQLDialect { .sqlite }

    package func commitMark() async throws -> String { String(try await changes.dataVersion()) }

    package func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await read { [steady, layouts] database in
            try body(SQLiteSession(database: database, now: steady.look(), layouts: layouts))
        }
    }

    package func quickSnapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await readKeys { [steady] database in try body(SQLiteSession(database: database, now: steady.look())) }
    }

    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await write { [steady, layouts] database in
            try body(SQLiteSession(database: database, now: steady.look(), layouts: layouts))
        }
    }

    package func relaxedTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await writeRelaxed { [steady, layouts] database in
            try body(SQLiteSession(database: database, now: steady.look(), layouts: layouts))
        }
    }
}

/// The clock of a file: the machine's, with a watch for its jumps.
final class SteadyClock: Sendable {
    /// How far the time may move otherwise than time passes, in milliseconds.
    static let tolerance: Int64 = 2000

    private let wall: @Sendable () -> Int64
    private let passed: @Sendable () -> Int64
    private let state: Mutex<(offset: Int64, since: Int64)>

    /// - Parameters:
    ///   - wall: The time in milliseconds since 1970.
    ///   - passed: The milliseconds that passed while the machine was awake, from any start.
    init(
        _ wall: @escaping @Sendable () -> Int64,
        passed: @escaping @Sendable () -> Int64 = SteadyClock.awake
    ) {
        (self.wall, self.passed) = (wall, passed)
        state = Mutex((wall() - passed(), 0))
    }

    /// The milliseconds since a fixed time in which the machine did not sleep.
    private static let start = SuspendingClock.now
    private static let awake: @Sendable () -> Int64 = { Int64((SuspendingClock.now - start) / .milliseconds(1)) }

    func look() -> StoreClock {
        let (now, passed) = (wall(), passed())
        return state.withLock { state in
            if abs(now - passed - state.offset) > Self.tolerance { state = (now - passed, now) }
            return StoreClock(now: now, steadySince: state.since)
        }
    }
}
