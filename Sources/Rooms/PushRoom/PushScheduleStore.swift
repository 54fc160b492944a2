package import Database
import Foundation
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

    /// The columns that ``init(_:)`` reads, in their order.
    fileprivate static func columns(_ words: SQLDialect) -> String {
        """
        id, uuid, \(words.bounded("name", 4096)), \(words.bounded("document", 256 << 10)), is_on, looked_at, next_due,
        zone_version, revision, last_run, missed, created_at, updated_at
        """
    }

    fileprivate init?(_ row: SQLRow) {
        guard let id = row.integer(0), let uuid = row.text(1), let document = row.text(3) else { return nil }
        self.id = id
        self.uuid = uuid
        self.document = document
        name = row.text(2) ?? ""
        isOn = row.bool(4)
        lookedAt = row.integer(5) ?? 0
        nextDue = row.integer(6)
        zoneVersion = row.text(7)
        revision = row.integer(8) ?? 1
        lastRun = row.text(9)
        missed = row.text(10)
        createdAt = row.integer(11) ?? 0
        updatedAt = row.integer(12) ?? 0
    }
}

/// Stores schedules of notifications.
package struct PushScheduleStore: Sendable {
    let store: any SQLStore

    /// Schedules at most.
    package static let maxSchedules = 1000

    /// Returns a page of schedules, oldest first.
    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<StoredPushSchedule> {
        try cursor?.check(numbers: 1)
        let found = try await store.snapshot { session in
            try Self.all(
                session, where: "id > $1 ORDER BY id LIMIT $2",
                [.integer(cursor?.numbers[0] ?? 0), .count(limit + 1)])
        }
        return Page(found.map { ($0, PageCursor($0.id)) }, limit: limit) { $0.document.utf8.count + 512 }
    }

    /// Returns a schedule.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> StoredPushSchedule {
        try await store.snapshot { try Self.required(uuid, $0) }
    }

    /// Stores a new schedule. Occurrences before `now` do not count.
    package func add(
        name: String, document: String, isOn: Bool, now: Int64, nextDue: Int64?, zoneVersion: String?
    ) async throws -> StoredPushSchedule {
        try await store.transaction { session in
            try session.lock("gateway_push_schedules")
            let count = try session.first("SELECT count(*) FROM gateway_push_schedules")?.count(0) ?? 0
            guard count < Self.maxSchedules else {
                throw StorageError(.conflict, "there are \(Self.maxSchedules) schedules, which is the limit")
            }
            let uuid = UUID().uuidString.lowercased()
            try session.run(
                """
                INSERT INTO gateway_push_schedules (uuid, name, document, is_on, looked_at, next_due, zone_version,
                created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $5, $5)
                """,
                [
                    .text(uuid), .text(name), .text(document), .flag(isOn), .integer(now), .integer(nextDue),
                    .text(zoneVersion),
                ])
            return try Self.required(uuid, session)
        }
    }

    /// Replaces a schedule. Occurrences before `now` do not count.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func change(
        _ uuid: String, name: String, document: String, isOn: Bool, now: Int64, nextDue: Int64?, zoneVersion: String?
    ) async throws -> StoredPushSchedule {
        try await store.transaction { session in
            try session.run(
                """
                UPDATE gateway_push_schedules SET name = $1, document = $2, is_on = $3, looked_at = $4,
                next_due = $5, zone_version = $6, revision = revision + 1, updated_at = $4 WHERE uuid = $7
                """,
                [
                    .text(name), .text(document), .flag(isOn), .integer(now), .integer(nextDue), .text(zoneVersion),
                    .text(uuid),
                ])
            return try Self.required(uuid, session)
        }
    }

    /// Deletes a schedule.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ uuid: String) async throws {
        try await store.transaction { session in
            _ = try Self.required(uuid, session)
            try session.run("DELETE FROM gateway_push_schedules WHERE uuid = $1", [.text(uuid)])
        }
    }

    /// Milliseconds that the clocks of servers may differ.
    package static let tolerance: Int64 = 300_000

    /// Returns the schedules whose next occurrence is due, those that were computed with other zone data, and those that
    /// were looked at by a clock that was ahead.
    package func due(at now: Int64, zoneVersion: String?, limit: Int) async throws -> [StoredPushSchedule] {
        try await store.snapshot { session in
            try Self.all(
                session,
                where: """
                    is_on = 1 AND (next_due <= $1 OR NOT zone_version \(session.dialect.isSame) $2 OR looked_at > $4)
                    ORDER BY next_due LIMIT $3
                    """,
                [.integer(now), .text(zoneVersion), .count(limit), .integer(now + Self.tolerance)])
        }
    }

    /// When the next occurrence is due; nil for none.
    package func nextDue() async throws -> Int64? {
        try await store.rows(
            """
            SELECT next_due FROM gateway_push_schedules WHERE is_on = 1 AND next_due IS NOT NULL
            ORDER BY next_due LIMIT 1
            """, []
        ).first?.integer(0)
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
        try await store.transaction { session in
            if missed != nil { try NewPushEvent.lock(session) }
            let changed = try session.run(
                """
                UPDATE gateway_push_schedules SET looked_at = $1, next_due = $2, zone_version = $3,
                last_run = coalesce($4, last_run), missed = $5, is_on = $6
                WHERE id = $7 AND revision = $8 AND looked_at = $9
                """,
                [
                    .integer(lookedAt), .integer(nextDue), .text(zoneVersion), .text(lastRun),
                    .text(missed ?? schedule.missed), .flag(isOn), .integer(schedule.id), .integer(schedule.revision),
                    .integer(schedule.lookedAt),
                ])
            guard changed > 0 else { return false }
            let now = try session.clock().now
            for draft in drafts { _ = try PushOutbox.submit(draft, now: now, session) }
            if let missed { try NewPushEvent("missed", missed).add(at: now, session) }
            return true
        }
    }

    private static func required(_ uuid: String, _ session: any SQLSession) throws -> StoredPushSchedule {
        guard let schedule = try all(session, where: "uuid = $1", [.text(uuid)]).first else {
            throw StorageError(.notFound, "there is no schedule \(uuid.prefix(64))")
        }
        return schedule
    }

    private static func all(
        _ session: any SQLSession, where condition: String, _ values: [SQLValue]
    ) throws -> [StoredPushSchedule] {
        try session.rows(
            "SELECT \(StoredPushSchedule.columns(session.dialect)) FROM gateway_push_schedules WHERE \(condition)",
            values
        ).compactMap { StoredPushSchedule($0) }
    }
}
