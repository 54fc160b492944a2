import Foundation
import GRDB
package import Machine

/// What a worker does with deliveries.
extension PushOutbox {
    /// Takes due deliveries of a channel for a time, the oldest ones, of these those of the highest priority first.
    ///
    /// While a delivery is being sent, a newer one of the same collapse key to the same device waits, so that it cannot
    /// arrive first. A delivery that is held stays held, whatever the clock says, until ``endLeases(_:)``.
    ///
    /// - Parameters:
    ///   - limit: The number of deliveries at most.
    ///   - lease: Milliseconds that the holder wants them for; it renews them before.
    package func take(
        _ limit: Int, of channel: String, lease: Int64, as worker: WorkerName
    ) async throws -> [PushWork] {
        let owners = try await database.pushOwners()
        return try await database.writeRelaxed { database in
            let now = clock()
            let due = try Scalar.integers(
                database,
                sql: """
                    SELECT v.id FROM gateway_push_deliveries v
                    WHERE v.channel = ?2 AND v.state < 2 AND v.state = 0 AND v.due <= ?1
                    AND (v.collapse_key IS NULL OR NOT EXISTS (SELECT 1 FROM gateway_push_deliveries o
                    WHERE o.device_id = v.device_id AND o.collapse_key = v.collapse_key AND o.state = 1
                    AND o.id < v.id))
                    ORDER BY v.due, v.id LIMIT ?3
                    """, arguments: [now, channel, limit])
            guard !due.isEmpty else { return [] }
            // A JSON list keeps the text of the statements the same, so that they are prepared once.
            let list = "[" + due.map(String.init).joined(separator: ",") + "]"
            try database.cachedStatement(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 1, claim = claim + 1, worker = ?, due = ?, updated_at = ?
                    WHERE id IN (SELECT value FROM json_each(?))
                    """
            ).execute(arguments: [worker.description, now + lease, now, list])
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(StoredPushDelivery.columns), \(StoredPushDevice.columns), b.full_at AS b_full, CASE WHEN v.collapse_key IS NOT NULL THEN
                    (SELECT o.uuid FROM gateway_push_deliveries o WHERE o.device_id = v.device_id
                    AND o.collapse_key = v.collapse_key AND o.id > v.id AND o.state < 4 ORDER BY o.id DESC LIMIT 1)
                    END AS newer
                    FROM gateway_push_deliveries v
                    JOIN gateway_push_messages m ON m.id = v.message_id
                    JOIN gateway_push_devices d ON d.id = v.device_id
                    LEFT JOIN gateway_push_buckets b ON b.device_id = v.device_id AND b.topic = m.topic
                    WHERE v.id IN (SELECT value FROM json_each(?)) ORDER BY m.priority DESC, v.id
                    """)
            let rows = try Row.fetchCursor(statement, arguments: [list])
            // A message is read once for all its deliveries.
            let messages = try Self.messages(of: list, database)
            var work: [PushWork] = []
            var readable: Set<Int64> = []
            // The columns behind those of the delivery and the device.
            let own = StoredPushDelivery.columnCount + StoredPushDevice.columnCount
            while let row = try rows.next() {
                guard let delivery = StoredPushDelivery(row), let message = messages[delivery.messageID],
                    let device = StoredPushDevice(row, from: StoredPushDelivery.columnCount)
                else { continue }
                readable.insert(delivery.id)
                work.append(
                    PushWork(
                        delivery: delivery, message: message, device: device, supersededBy: row.text(own + 1),
                        bucketFullAt: row.integer(own)))
            }
            // Without its message or device, a delivery would be due forever.
            for id in due where !readable.contains(id) {
                try database.execute(
                    sql: """
                        UPDATE gateway_push_deliveries SET state = ?, reason = 'its message or device is gone',
                        updated_at = ? WHERE id = ?
                        """, arguments: [PushState.failed.rawValue, now, id])
            }
            return try Self.dropEnded(work, owners, now, database)
        }
    }

    /// Drops the deliveries to devices whose key may not receive any more; returns the others.
    private static func dropEnded(
        _ work: [PushWork], _ owners: PushOwners, _ now: Int64, _ database: Database
    ) throws -> [PushWork] {
        let reason =
            "the key that registered the device was revoked, has expired or may not receive notifications any more"
        return try work.filter { item in
            guard let owner = item.device.owner, !owners.mayReceive(owner, now: now) else { return true }
            try database.execute(
                sql:
                    "UPDATE gateway_push_deliveries SET state = ?, reason = ?, worker = NULL, updated_at = ? WHERE id = ?",
                arguments: [PushState.dropped.rawValue, reason, now, item.delivery.id])
            try eventStatement(database).execute(arguments: [
                now, "dropped", item.device.id, item.message.id, item.delivery.id, reason,
            ])
            return false
        }
    }

    /// The messages of deliveries, by their rows.
    ///
    /// - Parameter list: The rows of the deliveries as a JSON list.
    private static func messages(of list: String, _ database: Database) throws -> [Int64: StoredPushMessage] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(StoredPushMessage.columns) FROM gateway_push_messages m WHERE m.id IN
                (SELECT message_id FROM gateway_push_deliveries WHERE id IN (SELECT value FROM json_each(?)))
                """)
        let rows = try Row.fetchCursor(statement, arguments: [list])
        var messages: [Int64: StoredPushMessage] = [:]
        while let row = try rows.next() {
            guard let message = StoredPushMessage(row) else { continue }
            messages[message.id] = message
        }
        return messages
    }

    /// Prolongs the leases of deliveries that a worker still holds.
    package func renew(_ held: [(id: Int64, claim: Int64)], lease: Int64) async throws {
        guard !held.isEmpty else { return }
        try await database.writeRelaxed { database in
            let update = try database.makeStatement(
                sql: "UPDATE gateway_push_deliveries SET due = ? WHERE id = ? AND claim = ? AND state = 1")
            let until = clock() + lease
            for (id, claim) in held { try update.execute(arguments: [until, id, claim]) }
        }
    }

    /// Stores what became of deliveries, in one transaction. A delivery that the worker holds no more is left alone.
    ///
    /// A delivery whose message changed while it was sent is due again, with the new message.
    ///
    /// - Returns: The number of deliveries that were left alone.
    @discardableResult
    package func record(_ records: [PushRecord]) async throws -> Int {
        try await database.writeRelaxed { database in
            let now = clock()
            let update = try database.cachedStatement(
                sql: """
                    UPDATE gateway_push_deliveries SET
                    state = CASE WHEN ?1 = 2 AND ?2 <> (SELECT revision FROM gateway_push_messages m
                        WHERE m.id = message_id) THEN 0 ELSE ?1 END,
                    due = CASE WHEN ?1 = 2 AND ?2 <> (SELECT revision FROM gateway_push_messages m
                        WHERE m.id = message_id) THEN ?3 ELSE ?4 END,
                    worker = NULL, attempts = ?5, tried_other = ?6, renewed = ?7, rule = ?8, reason = ?9, steps = ?10,
                    service_id = coalesce(?11, service_id), digest_due = ?12, repeats = ?13,
                    first_sent_at = coalesce(first_sent_at, ?14), sent_at = coalesce(?14, sent_at), updated_at = ?3
                    WHERE id = ?15 AND claim = ?16 AND state = 1
                    """)
            let event = try Self.eventStatement(database)
            var lost = 0
            for record in records {
                let delivery = record.delivery
                try update.execute(arguments: [
                    delivery.state.rawValue, record.revision, now, delivery.due, delivery.attempts,
                    delivery.triedOther, delivery.renewed, delivery.rule, delivery.reason, delivery.steps,
                    delivery.serviceID, delivery.digestDue, delivery.repeats, delivery.sentAt, delivery.id,
                    delivery.claim,
                ])
                // Another worker holds it now, or the sender took it back: it is that one's to log.
                guard database.changesCount > 0 else {
                    lost += 1
                    continue
                }
                if let (kind, detail) = record.event {
                    try event.execute(arguments: [
                        now, kind, delivery.deviceID, delivery.messageID, delivery.id, detail,
                    ])
                }
                if let bucket = record.bucket {
                    try database.cachedStatement(
                        sql: """
                            INSERT OR REPLACE INTO gateway_push_buckets (device_id, topic, full_at) VALUES (?, ?, ?)
                            """
                    ).execute(arguments: [delivery.deviceID, bucket.topic, bucket.fullAt])
                }
                if let news = record.device { try Self.apply(news, to: delivery.deviceID, now, database) }
            }
            return lost
        }
    }

    static func eventStatement(_ database: Database) throws -> Statement {
        try database.cachedStatement(
            sql: """
                INSERT INTO gateway_push_events (at, kind, device_id, message_id, delivery_id, detail)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
    }

    private static func apply(
        _ news: PushRecord.DeviceUpdate, to device: Int64, _ now: Int64, _ database: Database
    ) throws {
        switch news {
        case .worked(let environment):
            try database.cachedStatement(
                sql: """
                    UPDATE gateway_push_devices SET has_worked = 1, environment = coalesce(?1, environment)
                    WHERE id = ?2 AND (has_worked = 0 OR environment IS NOT coalesce(?1, environment))
                    """
            ).execute(arguments: [environment, device])
        case .retired(let before, let reason):
            try database.execute(
                sql: """
                    UPDATE gateway_push_devices SET retired = ?, updated_at = ? WHERE id = ? AND registered_at < ?
                    AND retired IS NULL
                    """, arguments: [reason, now, device, before])
            guard database.changesCount > 0 else { return }
            try eventStatement(database).execute(arguments: [now, "retired", device, nil, nil, reason])
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 5, claim = claim + 1, reason = ?, updated_at = ?
                    WHERE device_id = ? AND state < 2
                    """, arguments: ["the device is retired: \(reason)", now, device])
        }
    }

    /// When the next delivery of a channel that nobody holds is due, in milliseconds since 1970; nil for none.
    package func nextDue(of channel: String) async throws -> Int64? {
        try await database.read {
            try Scalar.integer(
                $0,
                sql: """
                    SELECT due FROM gateway_push_deliveries WHERE channel = ? AND state < 2 AND state = 0 ORDER BY due LIMIT 1
                    """, arguments: [channel])
        }
    }

    /// When the next digest is due; nil for none.
    package func nextDigest() async throws -> Int64? {
        try await database.read {
            try Scalar.integer(
                $0,
                sql: """
                    SELECT digest_due FROM gateway_push_deliveries
                    WHERE state = 3 AND digest_id IS NULL AND digest_due IS NOT NULL ORDER BY digest_due LIMIT 1
                    """)
        }
    }

    /// Ends the leases of workers whose process is known to have ended, so that nothing waits for the end of a lease.
    package func endLeasesOfTheDead() async throws {
        let workers = try await database.read {
            try Scalar.texts(
                $0,
                sql: "SELECT DISTINCT worker FROM gateway_push_deliveries WHERE state < 2 AND state = 1 LIMIT 100")
        }
        for worker in workers where WorkerName(worker).isGone {
            try await database.writeRelaxed {
                try $0.execute(
                    sql: """
                        UPDATE gateway_push_deliveries SET state = 0, due = ?
                        WHERE state < 2 AND state = 1 AND worker = ?
                        """, arguments: [clock(), worker])
            }
        }
    }

    /// Returns what is held by anyone, a bounded part of it.
    package func leases() async throws -> [PushLease] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT id, claim, due FROM gateway_push_deliveries WHERE state < 2 AND state = 1 LIMIT 10000")
            var leases: [PushLease] = []
            while let row = try rows.next() {
                guard let id = row.integer("id"), let claim = row.integer("claim"), let due = row.integer("due") else {
                    continue
                }
                leases.append(PushLease(id: id, claim: claim, due: due))
            }
            return leases
        }
    }

    /// Ends leases that nobody renewed since they were read: what they hold is due.
    package func endLeases(_ leases: [PushLease]) async throws {
        guard !leases.isEmpty else { return }
        try await database.writeRelaxed { database in
            let now = clock()
            let update = try database.makeStatement(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 0, due = ? WHERE id = ? AND claim = ? AND due = ?
                    AND state = 1
                    """)
            for lease in leases { try update.execute(arguments: [now, lease.id, lease.claim, lease.due]) }
        }
    }

    /// Brings what was stored by a clock that was ahead, by more than ``PushScheduleStore/tolerance``, to the time of now:
    /// pauses keep their length, and what waits for a digest or an hour is decided about again.
    ///
    /// - Returns: Whether there may be more.
    package func pullBack(_ channels: [String]) async throws -> Bool {
        try await database.writeRelaxed { database in
            let now = clock()
            var count = 0
            for channel in channels {
                // Bounded, since another program may have stored any number.
                try database.execute(
                    sql: """
                        UPDATE gateway_push_deliveries SET due = ?1 + min(max(0, due - updated_at), 31622400000),
                        updated_at = ?1 WHERE id IN (SELECT id FROM gateway_push_deliveries
                        WHERE channel = ?2 AND state < 2 AND state = 0 AND updated_at > ?3 LIMIT 1000)
                        """, arguments: [now, channel, now + PushScheduleStore.tolerance])
                count = max(count, database.changesCount)
            }
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 0, due = ?1, digest_due = NULL, updated_at = ?1
                    WHERE id IN (SELECT id FROM gateway_push_deliveries
                    WHERE state = 3 AND digest_id IS NULL AND updated_at > ?2 LIMIT 1000)
                    """, arguments: [now, now + PushScheduleStore.tolerance])
            return max(count, database.changesCount) == 1000
        }
    }
}

/// A delivery that a worker holds, and until when by its own clock: what a renewal changes.
package struct PushLease: Sendable, Hashable {
    package var id: Int64
    package var claim: Int64
    package var due: Int64

    package init(id: Int64, claim: Int64, due: Int64) {
        self.id = id
        self.claim = claim
        self.due = due
    }
}
