import Foundation
import GRDB
package import GatewayAPI

/// A schedule of notifications. Times are milliseconds since 1970.
package struct StoredPushSchedule: Sendable, Hashable {
    package var id: Int64
    /// The id that clients see.
    package var uuid: String
    package var name: String
    /// Rule, zone and message as JSON.
    package var document: String
    package var isOn: Bool
    /// Until when occurrences were looked at: all up to here are stored or missed.
    package var lookedAt: Int64
    /// The next occurrence; nil when there is none.
    package var nextDue: Int64?
    /// The version of the zone data that `nextDue` was computed with.
    package var zoneVersion: String?
    package var revision: Int64
    /// The id of the occurrence that was stored last.
    package var lastRun: String?
    /// The id of the first occurrence that was missed lately.
    package var missed: String?
    package var createdAt: Int64
    package var updatedAt: Int64

    init?(_ row: Row) {
        guard let id = row.integer("id"), let uuid = row.text("uuid"), let document = row.text("document") else {
            return nil
        }
        self.id = id
        self.uuid = uuid
        self.document = document
        name = row.text("name") ?? ""
        isOn = row.count("is_on") != 0
        lookedAt = row.integer("looked_at") ?? 0
        nextDue = row.integer("next_due")
        zoneVersion = row.text("zone_version")
        revision = row.integer("revision") ?? 1
        lastRun = row.text("last_run")
        missed = row.text("missed")
        createdAt = row.integer("created_at") ?? 0
        updatedAt = row.integer("updated_at") ?? 0
    }
}

/// Stores schedules of notifications.
package struct PushScheduleStore: Sendable {
    let database: GatewayDatabase
    private var clock: @Sendable () -> Int64 { database.clock }

    /// Schedules at most.
    package static let maxSchedules = 1000
    private static let columns = """
        id, uuid, \(ValueLimit.bounded("name", 4096)) AS name, \(ValueLimit.bounded("document", 256 << 10)) AS document,
        is_on, looked_at, next_due, zone_version, revision, last_run, missed, created_at, updated_at
        """

    /// Returns a page of schedules, oldest first.
    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<StoredPushSchedule> {
        try cursor?.check(numbers: 1)
        return try await database.read { database in
            let found = try Self.all(
                database, where: "id > ? ORDER BY id LIMIT ?", [cursor?.numbers[0] ?? 0, limit + 1])
            return Page(found.map { ($0, PageCursor($0.id)) }, limit: limit) { $0.document.utf8.count + 512 }
        }
    }

    /// Returns a schedule.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> StoredPushSchedule {
        try await database.read { try Self.required(uuid, $0) }
    }

    /// Stores a new schedule. Occurrences before `now` do not count.
    package func add(
        name: String, document: String, isOn: Bool, now: Int64, nextDue: Int64?, zoneVersion: String?
    ) async throws -> StoredPushSchedule {
        try await database.write { database in
            let count = try Scalar.count(database, sql: "SELECT count(*) FROM gateway_push_schedules") ?? 0
            guard count < Self.maxSchedules else {
                throw StorageError(.conflict, "there are \(Self.maxSchedules) schedules, which is the limit")
            }
            let uuid = UUID().uuidString.lowercased()
            try database.execute(
                sql: """
                    INSERT INTO gateway_push_schedules (uuid, name, document, is_on, looked_at, next_due, zone_version,
                    created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?5, ?5)
                    """, arguments: [uuid, name, document, isOn, now, nextDue, zoneVersion])
            return try Self.required(uuid, database)
        }
    }

    /// Replaces a schedule. Occurrences before `now` do not count.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func change(
        _ uuid: String, name: String, document: String, isOn: Bool, now: Int64, nextDue: Int64?, zoneVersion: String?
    ) async throws -> StoredPushSchedule {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_push_schedules SET name = ?1, document = ?2, is_on = ?3, looked_at = ?4,
                    next_due = ?5, zone_version = ?6, revision = revision + 1, updated_at = ?4 WHERE uuid = ?7
                    """, arguments: [name, document, isOn, now, nextDue, zoneVersion, uuid])
            return try Self.required(uuid, database)
        }
    }

    /// Deletes a schedule.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ uuid: String) async throws {
        try await database.write { database in
            _ = try Self.required(uuid, database)
            try database.execute(sql: "DELETE FROM gateway_push_schedules WHERE uuid = ?", arguments: [uuid])
        }
    }

    /// Milliseconds that the clocks of servers may differ.
    package static let tolerance: Int64 = 300_000

    /// Returns the schedules whose next occurrence is due, those that were computed with other zone data, and those that
    /// were looked at by a clock that was ahead.
    package func due(at now: Int64, zoneVersion: String?, limit: Int) async throws -> [StoredPushSchedule] {
        try await database.read {
            try Self.all(
                $0,
                where: """
                    is_on = 1 AND (next_due <= ?1 OR zone_version IS NOT ?2 OR looked_at > ?4) ORDER BY next_due LIMIT ?3
                    """, [now, zoneVersion, limit, now + Self.tolerance])
        }
    }

    /// When the next occurrence is due; nil for none.
    package func nextDue() async throws -> Int64? {
        try await database.read {
            try Scalar.integer(
                $0,
                sql: """
                    SELECT next_due FROM gateway_push_schedules WHERE is_on = 1 AND next_due IS NOT NULL
                    ORDER BY next_due LIMIT 1
                    """)
        }
    }

    /// Stores the occurrences of a schedule with their messages and the schedule's next look, in one transaction.
    ///
    /// The origin of each draft names its occurrence, so over several servers each one is stored once.
    ///
    /// - Returns: Whether the schedule was still the one that the caller read; otherwise nothing is stored.
    package func advance(
        _ schedule: StoredPushSchedule, lookedAt: Int64, nextDue: Int64?, zoneVersion: String?, lastRun: String?,
        missed: String?, isOn: Bool, storing drafts: [PushDraft]
    ) async throws -> Bool {
        try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_push_schedules SET looked_at = ?1, next_due = ?2, zone_version = ?3,
                    last_run = coalesce(?4, last_run), missed = ?5, is_on = ?6
                    WHERE id = ?7 AND revision = ?8 AND looked_at = ?9
                    """,
                arguments: [
                    lookedAt, nextDue, zoneVersion, lastRun, missed ?? schedule.missed, isOn, schedule.id,
                    schedule.revision, schedule.lookedAt,
                ])
            guard database.changesCount > 0 else { return false }
            let now = clock()
            for draft in drafts { _ = try PushOutbox.submit(draft, now: now, database) }
            if let missed {
                try PushOutbox.eventStatement(database).execute(
                    arguments: [now, "missed", nil, nil, nil, missed])
            }
            return true
        }
    }

    private static func required(_ uuid: String, _ database: Database) throws -> StoredPushSchedule {
        guard let schedule = try all(database, where: "uuid = ?", [uuid]).first else {
            throw StorageError(.notFound, "there is no schedule \(uuid.prefix(64))")
        }
        return schedule
    }

    private static func all(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [StoredPushSchedule] {
        try Row.fetchAll(
            database, sql: "SELECT \(columns) FROM gateway_push_schedules WHERE \(condition)", arguments: arguments
        ).compactMap { StoredPushSchedule($0) }
    }
}
