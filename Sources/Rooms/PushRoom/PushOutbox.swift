import Database
import Foundation

/// Stores notifications and their deliveries. A message and its deliveries are stored in one transaction; a worker takes
/// deliveries for a time (a lease) and records what became of them.
package struct PushOutbox: Sendable {
    let store: any SQLStore
    let owners: @Sendable () async throws -> PushOwners

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
        try await store.transaction { try Self.submit(draft, name: name, now: $0.clock().now, $0) }
    }

    static func submit(
        _ draft: PushDraft, name: PushRequestName? = nil, now: Int64, _ session: any SQLSession
    ) throws -> PushSubmission {
        // Of two servers that store the same, the second one finds what the first one stored.
        if let name { try session.lock("gateway_push_repeats/\(name.caller)/\(name.name)") }
        if let origin = draft.origin { try session.lock("gateway_push_messages/\(origin)") }
        if let name, let known = try known(name, now, session) { return known }
        if let origin = draft.origin,
            let known = try session.first("SELECT id FROM gateway_push_messages WHERE origin = $1", [.text(origin)]),
            let id = known.integer(0)
        {
            return try submission(of: id, isKnown: true, session)
        }
        var ids = PushIDs(now: now)
        let added = try session.first(
            """
            INSERT INTO gateway_push_messages (uuid, topic, priority, body, collapse_key, not_before, expires,
            source, origin, sender, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING id
            """,
            [
                .text(ids.next()), .text(draft.topic), .count(draft.priority), .bytes(Array(draft.body)),
                .text(draft.collapseKey), .integer(draft.notBefore), .integer(draft.expires), .text(draft.source),
                .text(draft.origin), .integer(draft.sender), .integer(now),
            ])
        guard let message = added?.integer(0) else {
            throw StorageError(.notFound, "the notification is not stored any more")
        }
        // One statement for all rows: within the savepoint of a durable write, SQLite copies every page that a statement is
        // about to change into a file of its own, so a statement for each row copied the same pages a thousand times.
        var rows = "{"
        for device in draft.devices.prefix(Self.maxDevices) {
            if rows.utf8.count > 1 { rows += "," }
            rows += "\"\(ids.next())\":\(device)"
        }
        rows += "}"
        try session.run(
            """
            INSERT INTO gateway_push_deliveries (uuid, message_id, device_id, channel, due, collapse_key,
            created_at, updated_at) SELECT j.key, $1, d.id, d.channel, $2, $3, $4, $4 FROM \(devices(session.dialect))
            """,
            [
                .integer(message), .integer(max(draft.notBefore ?? now, now)), .text(draft.collapseKey), .integer(now),
                .text(rows),
            ])
        if let name {
            try session.run(
                """
                INSERT INTO gateway_push_repeats (caller, name, hash, message_id, created_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (caller, name) DO UPDATE SET hash = excluded.hash, message_id = excluded.message_id,
                created_at = excluded.created_at
                """,
                [
                    .text(name.caller), .text(name.name), .bytes(Array(name.hash)), .integer(message), .integer(now),
                ])
        }
        return try fresh(message, draft, now: now, session)
    }

    /// The live devices of a JSON object from ids of deliveries to devices, in its order.
    private static func devices(_ dialect: SQLDialect) -> String {
        switch dialect {
        case .sqlite: "json_each($5) j CROSS JOIN gateway_push_devices d WHERE d.id = j.value AND d.retired IS NULL"
        case .postgres:
            """
            json_each_text($5::json) WITH ORDINALITY j (key, value, place)
            JOIN gateway_push_devices d ON d.id = j.value::bigint WHERE d.retired IS NULL ORDER BY j.place
            """
        }
    }

    /// The message that was just stored; its deliveries are those of the draft, so little is read.
    private static func fresh(
        _ id: Int64, _ draft: PushDraft, now: Int64, _ session: any SQLSession
    ) throws -> PushSubmission {
        guard let message = try message(session, where: "m.id = $1", .integer(id)) else {
            throw StorageError(.notFound, "the notification is not stored any more")
        }
        let rows = try session.rows(
            """
            SELECT v.id, v.uuid, v.device_id, v.due, d.uuid, \(session.dialect.bounded("d.name", 4096))
            FROM gateway_push_deliveries v LEFT JOIN gateway_push_devices d ON d.id = v.device_id
            WHERE v.message_id = $1 ORDER BY v.id LIMIT $2
            """, [.integer(id), .count(maxDevices)])
        let found = rows.compactMap { row -> (delivery: StoredPushDelivery, device: String, name: String)? in
            guard let delivery = row.integer(0), let uuid = row.text(1), let device = row.integer(2) else { return nil }
            let stored = StoredPushDelivery(
                id: delivery, uuid: uuid, messageID: id, deviceID: device, due: row.integer(3) ?? now, createdAt: now)
            return (stored, row.text(4) ?? "", row.text(5) ?? "")
        }
        return PushSubmission(message: message, deliveries: found, isKnown: false)
    }

    private static func known(
        _ name: PushRequestName, _ now: Int64, _ session: any SQLSession
    ) throws -> PushSubmission? {
        let row = try session.first(
            "SELECT hash, message_id FROM gateway_push_repeats WHERE caller = $1 AND name = $2 AND created_at > $3",
            [.text(name.caller), .text(name.name), .integer(now - Self.memory)])
        guard let row, let message = row.integer(1) else { return nil }
        guard row.bytes(0) == Array(name.hash) else {
            throw StorageError(
                .conflict, "the name \"\(name.name.prefix(128))\" belongs to another request; choose a new one")
        }
        return try submission(of: message, isKnown: true, session)
    }

    private static func submission(
        of id: Int64, isKnown: Bool, _ session: any SQLSession
    ) throws -> PushSubmission {
        guard let message = try message(session, where: "m.id = $1", .integer(id)) else {
            throw StorageError(.notFound, "the notification is not stored any more")
        }
        return PushSubmission(message: message, deliveries: try deliveries(of: message.id, session), isKnown: isKnown)
    }

    static func message(
        _ session: any SQLSession, where condition: String, _ value: SQLValue
    ) throws -> StoredPushMessage? {
        try session.first(
            "SELECT \(StoredPushMessage.columns(session.dialect)) FROM gateway_push_messages m WHERE \(condition)",
            [value]
        ).flatMap { StoredPushMessage($0) }
    }

    static func deliveries(
        of message: Int64, _ session: any SQLSession
    ) throws -> [(delivery: StoredPushDelivery, device: String, name: String)] {
        try session.rows(
            """
            SELECT \(StoredPushDelivery.columns(session.dialect)), d.uuid, d.name
            FROM gateway_push_deliveries v LEFT JOIN gateway_push_devices d ON d.id = v.device_id
            WHERE v.message_id = $1 ORDER BY v.id LIMIT $2
            """, [.integer(message), .count(maxDevices)]
        ).compactMap { row in
            StoredPushDelivery(row).map { delivery in
                let next = StoredPushDelivery.columnCount
                return (delivery, row.text(next) ?? "", row.text(next + 1) ?? "")
            }
        }
    }

    /// Returns a message with its deliveries.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> PushSubmission {
        try await store.snapshot { try Self.whole(uuid, $0) }
    }

    static func whole(_ uuid: String, _ session: any SQLSession) throws -> PushSubmission {
        guard let message = try message(session, where: "m.uuid = $1", .text(uuid)) else {
            throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
        }
        return PushSubmission(
            message: message, deliveries: try deliveries(of: message.id, session), isKnown: true)
    }

    /// Counts open deliveries, up to `limit`.
    package func openCount(upTo limit: Int) async throws -> Int {
        try await store.rows(
            "SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries WHERE state < 2 LIMIT $1) AS waiting",
            [.count(limit)]
        ).first?.count(0) ?? 0
    }

    /// Counts the open deliveries of what a key, and the keys that share with it, sent, up to `limit`.
    package func openCount(of sender: Int64, upTo limit: Int) async throws -> Int {
        let keys = try await owners().sharing(with: sender)
        return try await store.rows(
            """
            SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries v
            JOIN gateway_push_messages m ON m.id = v.message_id WHERE v.state < 2
            AND m.sender IN \(store.dialect.numbers("$1")) LIMIT $2) AS waiting
            """, [keys, .count(limit)]
        ).first?.count(0) ?? 0
    }

    /// Deletes what is older than `age` milliseconds and done, a bounded part at a time.
    ///
    /// - Returns: Whether there may be more to delete.
    package func prune(olderThan age: Int64, keepingEvents events: Int64) async throws -> Bool {
        try await store.relaxedTransaction { session in
            let now = try session.clock().now
            let old = try session.rows(
                """
                SELECT id FROM gateway_push_messages m WHERE created_at < $1
                AND NOT EXISTS (SELECT 1 FROM gateway_push_deliveries v WHERE v.message_id = m.id
                AND (v.state < 2 OR v.state = 3 AND v.digest_id IS NULL)) ORDER BY created_at LIMIT 500
                """, [.integer(now - age)]
            ).compactMap { $0.integer(0) }
            for id in old {
                try session.run("DELETE FROM gateway_push_deliveries WHERE message_id = $1", [.integer(id)])
                try session.run("DELETE FROM gateway_push_messages WHERE id = $1", [.integer(id)])
            }
            try session.run(
                "DELETE FROM gateway_push_repeats WHERE created_at < $1", [.integer(now - Self.memory)])
            try session.run("DELETE FROM gateway_push_buckets WHERE full_at < $1", [.integer(now)])
            // Events go from the oldest on, so that a reader can tell whether it missed one. The newest one stays.
            let events = try session.run(
                """
                WITH oldest AS MATERIALIZED (SELECT id, at FROM gateway_push_events ORDER BY id LIMIT 5000)
                DELETE FROM gateway_push_events WHERE id IN (SELECT id FROM oldest
                WHERE id < coalesce((SELECT min(id) FROM oldest WHERE at >= $1), 9223372036854775807)
                OR id <= (SELECT max(id) FROM gateway_push_events) - $2)
                AND id < (SELECT max(id) FROM gateway_push_events)
                """, [.integer(now - age), .integer(events)])
            return old.count == 500 || events == 5000
        }
    }
}
