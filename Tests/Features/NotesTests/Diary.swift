import Foundation
import GRDB
import GatewayAPI
import Goals
import Notes
import Schedules
import Storage
import Synchronization
import Testing

/// A notes database, a person's clock in Berlin, and the other program that writes to the file.
final class Diary: Sendable {
    let folder: URL
    let database: GatewayDatabase
    let service: BriefingService
    private let clock: Clock
    /// The person's clock.
    var now: @Sendable () -> Instant { { [clock] in clock.now } }

    init(now: String = "2026-11-23T10:00:00Z") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "selene-notes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "notes.sqlite").path
        database = try GatewayDatabase(path: path)
        let clock = Clock(Instant(seconds: Timestamp.unixSeconds(now) ?? 0))
        self.clock = clock
        let rule = try #require(DayRule(zone: ZoneDatabase().rules("Europe/Berlin")))
        service = BriefingService(store: database, rule: rule, now: { clock.now })
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Sets the clock.
    func setTime(_ text: String) { clock.set(Instant(seconds: Timestamp.unixSeconds(text) ?? 0)) }

    /// Runs statements as another program does.
    func write(_ statements: String...) throws {
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { other in for statement in statements { try other.execute(sql: statement) } }
        try queue.close()
    }

    /// Runs statements in one transaction.
    func write(all statements: [String]) throws {
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { other in for statement in statements { try other.execute(sql: statement) } }
        try queue.close()
    }

    /// The number of rows of a table.
    func count(_ table: String) throws -> Int {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    /// The rows of groups, proposals, heats and threads, without the times at which they were written.
    func dump() throws -> [String] {
        let queue = try DatabaseQueue(path: database.path)
        defer { try? queue.close() }
        return try queue.read { other in
            try [
                "SELECT * FROM gateway_note_groups ORDER BY 1", "SELECT * FROM gateway_thread_proposals ORDER BY 1",
                "SELECT * FROM gateway_thread_heat ORDER BY 1", "SELECT * FROM threads ORDER BY 1",
                "SELECT * FROM thread_notes ORDER BY 1, 2",
                "SELECT * FROM gateway_meta WHERE key LIKE 'thread%' ORDER BY 1",
            ].flatMap { sql in try Row.fetchAll(other, sql: sql).map { "\($0)" } }
        }
    }

    func note(_ id: Int, _ title: String, _ date: String, thread: Int? = nil) throws {
        try write(
            "INSERT INTO raw_notes (id, title, content, created_at) VALUES (\(id), '\(title)', 'Text of \(title)', '\(date)')"
        )
        if let thread { try write("INSERT INTO thread_notes (thread_id, note_id) VALUES (\(thread), \(id))") }
    }

    private final class Clock: Sendable {
        private let time: Mutex<Instant>
        init(_ time: Instant) { self.time = Mutex(time) }
        var now: Instant { time.withLock { $0 } }
        func set(_ new: Instant) { time.withLock { $0 = new } }
    }
}
