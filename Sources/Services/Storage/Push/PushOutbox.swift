import Foundation
import GRDB

/// Stores notifications and their deliveries. A message and its deliveries are stored in one transaction; a worker takes
/// deliveries for a time (a lease) and records what became of them.
package struct PushOutbox: Sendable {
    let database: GatewayDatabase
    /// The time, in milliseconds since 1970.
    var clock: @Sendable () -> Int64 { database.clock }

    /// Deliveries of one message at most.
    package static let maxDevices = PushDeviceStore.maxDevices
    /// How long names of requests are known, in milliseconds: 48 hours.
    package static let memory: Int64 = 48 * 3_600_000

    /// Stores a message and a delivery to each of its devices. Durable when it returns.
    ///
    /// - Parameter name: By what a repeated request is known.
    /// - Returns: The message; a known one for a request that was stored already.
    /// - Throws: ``StorageError/Code/conflict`` when the name belongs to another request.
    package func submit(_ draft: PushDraft, name: PushRequestName? = nil) async throws -> PushSubmission {
        try await database.write { try Self.submit(draft, name: name, now: clock(), $0) }
    }

    static func submit(
        _ draft: PushDraft, name: PushRequestName? = nil, now: Int64, _ database: Database
    ) throws -> PushSubmission {
        if let name, let known = try known(name, now, database) { return known }
        if let origin = draft.origin,
            let known = try Scalar.integer(
                database, sql: "SELECT id FROM gateway_push_messages WHERE origin = ?", arguments: [origin])
        {
            return try submission(of: known, isKnown: true, database)
        }
        var ids = PushIDs(now: now)
        try database.cachedStatement(
            sql: """
                INSERT INTO gateway_push_messages (uuid, topic, priority, body, collapse_key, not_before, expires,
                source, origin, sender, created_at, updated_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)
                """
        ).execute(
            arguments: [
                ids.next(), draft.topic, draft.priority, draft.body, draft.collapseKey,
                draft.notBefore, draft.expires, draft.source, draft.origin, draft.sender, now,
            ])
        let message = database.lastInsertedRowID
        // One statement for all rows: within the savepoint of a durable write, SQLite copies every page that a statement is
        // about to change into a file of its own, so a statement for each row copied the same pages a thousand times.
        var rows = "{"
        for device in draft.devices.prefix(Self.maxDevices) {
            if rows.utf8.count > 1 { rows += "," }
            rows += "\"\(ids.next())\":\(device)"
        }
        rows += "}"
        try database.cachedStatement(
            sql: """
                INSERT INTO gateway_push_deliveries (uuid, message_id, device_id, channel, due, collapse_key,
                created_at, updated_at) SELECT j.key, ?1, d.id, d.channel, ?2, ?3, ?4, ?4
                FROM json_each(?5) j CROSS JOIN gateway_push_devices d WHERE d.id = j.value AND d.retired IS NULL
                """
        ).execute(arguments: [message, max(draft.notBefore ?? now, now), draft.collapseKey, now, rows])
        if let name {
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO gateway_push_repeats (caller, name, hash, message_id, created_at)
                    VALUES (?, ?, ?, ?, ?)
                    """, arguments: [name.caller, name.name, name.hash, message, now])
        }
        return try fresh(message, draft, now: now, database)
    }

    /// The message that was just stored; its deliveries are those of the draft, so little is read.
    private static func fresh(
        _ id: Int64, _ draft: PushDraft, now: Int64, _ database: Database
    ) throws -> PushSubmission {
        guard let message = try message(database, where: "m.id = ?", [id]) else {
            throw StorageError(.notFound, "the notification is not stored any more")
        }
        let statement = try database.cachedStatement(
            sql: """
                SELECT v.id, v.uuid, v.device_id, v.due, d.uuid, \(ValueLimit.bounded("d.name", 4096))
                FROM gateway_push_deliveries v LEFT JOIN gateway_push_devices d ON d.id = v.device_id
                WHERE v.message_id = ? ORDER BY v.id LIMIT ?
                """)
        let rows = try Row.fetchCursor(statement, arguments: [id, maxDevices])
        var found: [(delivery: StoredPushDelivery, device: String, name: String)] = []
        while let row = try rows.next() {
            guard let delivery = row.integer(0), let uuid = row.text(1), let device = row.integer(2) else { continue }
            let stored = StoredPushDelivery(
                id: delivery, uuid: uuid, messageID: id, deviceID: device, due: row.integer(3) ?? now, createdAt: now)
            found.append((stored, row.text(4) ?? "", row.text(5) ?? ""))
        }
        return PushSubmission(message: message, deliveries: found, isKnown: false)
    }

    private static func known(
        _ name: PushRequestName, _ now: Int64, _ database: Database
    ) throws -> PushSubmission? {
        guard
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT hash, message_id FROM gateway_push_repeats
                    WHERE caller = ? AND name = ? AND created_at > ?
                    """, arguments: [name.caller, name.name, now - Self.memory]),
            let message = row.integer(1)
        else { return nil }
        guard row.bytes(0) == name.hash else {
            throw StorageError(
                .conflict, "the name \"\(name.name.prefix(128))\" belongs to another request; choose a new one")
        }
        return try submission(of: message, isKnown: true, database)
    }

    private static func submission(of id: Int64, isKnown: Bool, _ database: Database) throws -> PushSubmission {
        guard let message = try message(database, where: "m.id = ?", [id]) else {
            throw StorageError(.notFound, "the notification is not stored any more")
        }
        return PushSubmission(message: message, deliveries: try deliveries(of: id, database), isKnown: isKnown)
    }

    static func message(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> StoredPushMessage? {
        try Row.fetchOne(
            database, sql: "SELECT \(StoredPushMessage.columns) FROM gateway_push_messages m WHERE \(condition)",
            arguments: arguments
        ).flatMap { StoredPushMessage($0) }
    }

    static func deliveries(
        of message: Int64, _ database: Database
    ) throws -> [(delivery: StoredPushDelivery, device: String, name: String)] {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(StoredPushDelivery.columns), d.uuid AS d_uuid, d.name AS d_name
                FROM gateway_push_deliveries v LEFT JOIN gateway_push_devices d ON d.id = v.device_id
                WHERE v.message_id = ? ORDER BY v.id LIMIT ?
                """, arguments: [message, maxDevices])
        var found: [(delivery: StoredPushDelivery, device: String, name: String)] = []
        while let row = try rows.next() {
            guard let delivery = StoredPushDelivery(row) else { continue }
            found.append((delivery, row.text("d_uuid") ?? "", row.text("d_name") ?? ""))
        }
        return found
    }

    /// Returns a message with its deliveries.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> PushSubmission {
        try await database.read { database in
            guard let message = try Self.message(database, where: "m.uuid = ?", [uuid]) else {
                throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
            }
            return PushSubmission(
                message: message, deliveries: try Self.deliveries(of: message.id, database), isKnown: true)
        }
    }

    /// Counts open deliveries, up to `limit`.
    package func openCount(upTo limit: Int) async throws -> Int {
        try await database.read {
            try Scalar.count(
                $0, sql: "SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries WHERE state < 2 LIMIT ?)",
                arguments: [limit]) ?? 0
        }
    }

    /// Counts the open deliveries of what a key, and the keys that share with it, sent, up to `limit`.
    package func openCount(of sender: Int64, upTo limit: Int) async throws -> Int {
        let keys = try await database.pushOwners().sharing(with: sender)
        return try await database.read { database in
            try Scalar.count(
                database,
                sql: """
                    SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries v
                    JOIN gateway_push_messages m ON m.id = v.message_id WHERE v.state < 2
                    AND m.sender IN (SELECT value FROM json_each(?)) LIMIT ?)
                    """, arguments: [keys, limit]) ?? 0
        }
    }

    /// Deletes what is older than `age` milliseconds and done, a bounded part at a time.
    ///
    /// - Returns: Whether there may be more to delete.
    package func prune(olderThan age: Int64, keepingEvents events: Int64) async throws -> Bool {
        try await database.writeRelaxed { database in
            let now = clock()
            let old = try Scalar.integers(
                database,
                sql: """
                    SELECT id FROM gateway_push_messages m WHERE created_at < ?
                    AND NOT EXISTS (SELECT 1 FROM gateway_push_deliveries v WHERE v.message_id = m.id
                    AND (v.state < 2 OR v.state = 3 AND v.digest_id IS NULL)) ORDER BY created_at LIMIT 500
                    """, arguments: [now - age])
            for id in old {
                try database.execute(
                    sql: "DELETE FROM gateway_push_deliveries WHERE message_id = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM gateway_push_messages WHERE id = ?", arguments: [id])
            }
            try database.execute(
                sql: "DELETE FROM gateway_push_repeats WHERE created_at < ?", arguments: [now - Self.memory])
            try database.execute(
                sql: "DELETE FROM gateway_push_buckets WHERE full_at < ?", arguments: [now])
            // Events go from the oldest on, so that a reader can tell whether it missed one.
            try database.execute(
                sql: """
                    WITH oldest AS MATERIALIZED (SELECT id, at FROM gateway_push_events ORDER BY id LIMIT 5000)
                    DELETE FROM gateway_push_events WHERE id IN (SELECT id FROM oldest
                    WHERE id < coalesce((SELECT min(id) FROM oldest WHERE at >= ?), 9223372036854775807)
                    OR id <= (SELECT max(id) FROM gateway_push_events) - ?)
                    """, arguments: [now - age, events])
            return old.count == 500 || database.changesCount == 5000
        }
    }
}
