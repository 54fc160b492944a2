import Database
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
        let owners = try await owners()
        return try await store.relaxedTransaction { session in
            // What another server takes now may hold back what this one would take.
            try session.lock("gateway_push_deliveries/\(channel)")
            let (now, words) = (try session.clock().now, session.dialect)
            let due = try session.rows(
                """
                SELECT v.id FROM gateway_push_deliveries v
                WHERE v.channel = $2 AND v.state < 2 AND v.state = 0 AND v.due <= $1
                AND (v.collapse_key IS NULL OR NOT EXISTS (SELECT 1 FROM gateway_push_deliveries o
                WHERE o.device_id = v.device_id AND o.collapse_key = v.collapse_key AND o.state = 1
                AND o.id < v.id))
                ORDER BY v.due, v.id LIMIT $3\(words.takesRows)
                """, [.integer(now), .text(channel), .count(limit)]
            ).compactMap { $0.integer(0) }
            guard !due.isEmpty else { return [] }
            let list = SQLValue.numbers(due)
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 1, claim = claim + 1, worker = $1, due = $2, updated_at = $3
                WHERE id IN \(words.numbers("$4"))
                """, [.text(worker.description), .integer(now + lease), .integer(now), list])
            let rows = try session.rows(
                """
                SELECT \(StoredPushDelivery.columns(words)), \(StoredPushDevice.columns(words)), b.full_at,
                CASE WHEN v.collapse_key IS NOT NULL THEN
                (SELECT o.uuid FROM gateway_push_deliveries o WHERE o.device_id = v.device_id
                AND o.collapse_key = v.collapse_key AND o.id > v.id AND o.state < 4 ORDER BY o.id DESC LIMIT 1)
                END
                FROM gateway_push_deliveries v
                JOIN gateway_push_messages m ON m.id = v.message_id
                JOIN gateway_push_devices d ON d.id = v.device_id
                LEFT JOIN gateway_push_buckets b ON b.device_id = v.device_id AND b.topic = m.topic
                WHERE v.id IN \(words.numbers("$1")) ORDER BY m.priority DESC, v.id
                """, [list])
            // A message is read once for all its deliveries.
            let messages = try Self.messages(of: list, session)
            var work: [PushWork] = []
            var readable: Set<Int64> = []
            // The columns behind those of the delivery and the device.
            let own = StoredPushDelivery.columnCount + StoredPushDevice.columnCount
            for row in rows {
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
                try session.run(
                    """
                    UPDATE gateway_push_deliveries SET state = $1, reason = 'its message or device is gone',
                    updated_at = $2 WHERE id = $3
                    """, [.integer(PushState.failed.rawValue), .integer(now), .integer(id)])
            }
            return try Self.dropEnded(work, owners, now, session)
        }
    }

    /// Drops the deliveries to devices whose key may not receive any more; returns the others.
    private static func dropEnded(
        _ work: [PushWork], _ owners: PushOwners, _ now: Int64, _ session: any SQLSession
    ) throws -> [PushWork] {
        let reason =
            "the key that registered the device was revoked, has expired or may not receive notifications any more"
        return try work.filter { item in
            guard let owner = item.device.owner, !owners.mayReceive(owner, now: now) else { return true }
            try NewPushEvent.lock(session)
            try session.run(
                "UPDATE gateway_push_deliveries SET state = $1, reason = $2, worker = NULL, updated_at = $3 WHERE id = $4",
                [
                    .integer(PushState.dropped.rawValue), .text(reason), .integer(now), .integer(item.delivery.id),
                ])
            try NewPushEvent("dropped", reason, of: item.delivery).add(at: now, session)
            return false
        }
    }

    /// The messages of deliveries, by their rows.
    ///
    /// - Parameter list: The rows of the deliveries as a JSON list.
    private static func messages(of list: SQLValue, _ session: any SQLSession) throws -> [Int64: StoredPushMessage] {
        let words = session.dialect
        let rows = try session.rows(
            """
            SELECT \(StoredPushMessage.columns(words)) FROM gateway_push_messages m WHERE m.id IN
            (SELECT message_id FROM gateway_push_deliveries WHERE id IN \(words.numbers("$1")))
            """, [list])
        return rows.reduce(into: [:]) { messages, row in
            if let message = StoredPushMessage(row) { messages[message.id] = message }
        }
    }

    /// Prolongs the leases of deliveries that a worker still holds.
    package func renew(_ held: [(id: Int64, claim: Int64)], lease: Int64) async throws {
        guard !held.isEmpty else { return }
        try await store.relaxedTransaction { session in
            let until = try session.clock().now + lease
            for (id, claim) in held.sorted(by: { $0.id < $1.id }) {
                try session.run(
                    "UPDATE gateway_push_deliveries SET due = $1 WHERE id = $2 AND claim = $3 AND state = 1",
                    [.integer(until), .integer(id), .integer(claim)])
            }
        }
    }

    /// Stores what became of deliveries, in one transaction. A delivery that the worker holds no more is left alone.
    ///
    /// A delivery whose message changed while it was sent is due again, with the new message.
    ///
    /// - Returns: The number of deliveries that were left alone.
    @discardableResult
    package func record(_ records: [PushRecord]) async throws -> Int {
        try await store.relaxedTransaction { session in
            // Also keeps the messages from changing meanwhile.
            try NewPushEvent.lock(session)
            let now = try session.clock().now
            return try records.count(where: { try !Self.record($0, at: now, session) })
        }
    }

    /// Stores what became of a delivery.
    ///
    /// - Returns: false when another worker holds it now, or the sender took it back: it is that one's to log.
    private static func record(_ record: PushRecord, at now: Int64, _ session: any SQLSession) throws -> Bool {
        let delivery = record.delivery
        let changed = try session.run(
            """
            UPDATE gateway_push_deliveries SET
            state = CASE WHEN $1 = 2 AND $2 <> (SELECT revision FROM gateway_push_messages m
                WHERE m.id = message_id) THEN 0 ELSE $1 END,
            due = CASE WHEN $1 = 2 AND $2 <> (SELECT revision FROM gateway_push_messages m
                WHERE m.id = message_id) THEN $3 ELSE $4 END,
            worker = NULL, attempts = $5, tried_other = $6, renewed = $7, rule = $8, reason = $9, steps = $10,
            service_id = coalesce($11, service_id), digest_due = $12, repeats = $13,
            first_sent_at = coalesce(first_sent_at, $14), sent_at = coalesce($14, sent_at), updated_at = $3
            WHERE id = $15 AND claim = $16 AND state = 1
            """,
            [
                .integer(delivery.state.rawValue), .integer(record.revision), .integer(now), .integer(delivery.due),
                .count(delivery.attempts), .flag(delivery.triedOther), .flag(delivery.renewed), .text(delivery.rule),
                .text(delivery.reason), .text(delivery.steps), .text(delivery.serviceID),
                .integer(delivery.digestDue), .count(delivery.repeats), .integer(delivery.sentAt),
                .integer(delivery.id), .integer(delivery.claim),
            ])
        guard changed > 0 else { return false }
        if let (kind, detail) = record.event {
            try NewPushEvent(kind, detail, of: delivery).add(at: now, session)
        }
        if let bucket = record.bucket {
            try session.run(
                """
                INSERT INTO gateway_push_buckets (device_id, topic, full_at) VALUES ($1, $2, $3)
                ON CONFLICT (device_id, topic) DO UPDATE SET full_at = excluded.full_at
                """, [.integer(delivery.deviceID), .text(bucket.topic), .integer(bucket.fullAt)])
        }
        if let news = record.device { try apply(news, to: delivery.deviceID, now, session) }
        return true
    }

    private static func apply(
        _ news: PushRecord.DeviceUpdate, to device: Int64, _ now: Int64, _ session: any SQLSession
    ) throws {
        switch news {
        case .worked(let environment):
            try session.run(
                """
                UPDATE gateway_push_devices SET has_worked = 1, environment = coalesce($1, environment)
                WHERE id = $2 AND (has_worked = 0 OR NOT environment \(session.dialect.isSame) coalesce($1, environment))
                """, [.text(environment), .integer(device)])
        case .retired(let before, let reason):
            let retired = try session.run(
                """
                UPDATE gateway_push_devices SET retired = $1, updated_at = $2 WHERE id = $3 AND registered_at < $4
                AND retired IS NULL
                """, [.text(reason), .integer(now), .integer(device), .integer(before)])
            guard retired > 0 else { return }
            try NewPushEvent("retired", reason, device: device).add(at: now, session)
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 5, claim = claim + 1, reason = $1, updated_at = $2
                WHERE device_id = $3 AND state < 2
                """, [.text("the device is retired: \(reason)"), .integer(now), .integer(device)])
        }
    }

    /// When the next delivery of a channel that nobody holds is due, in milliseconds since 1970; nil for none.
    package func nextDue(of channel: String) async throws -> Int64? {
        try await store.rows(
            """
            SELECT due FROM gateway_push_deliveries WHERE channel = $1 AND state < 2 AND state = 0 ORDER BY due LIMIT 1
            """, [.text(channel)]
        ).first?.integer(0)
    }

    /// When the next digest is due; nil for none.
    package func nextDigest() async throws -> Int64? {
        try await store.rows(
            """
            SELECT digest_due FROM gateway_push_deliveries
            WHERE state = 3 AND digest_id IS NULL AND digest_due IS NOT NULL ORDER BY digest_due LIMIT 1
            """, []
        ).first?.integer(0)
    }

    /// Ends the leases of workers whose process is known to have ended, so that nothing waits for the end of a lease.
    package func endLeasesOfTheDead() async throws {
        let dead = try await store.snapshot { session in
            let clock = try session.clock()
            return try session.rows(
                "SELECT DISTINCT worker FROM gateway_push_deliveries WHERE state < 2 AND state = 1 LIMIT 100"
            ).compactMap { $0.text(0) }.filter { worker in
                // Without an end: that of a delivery is by the clock of its holder.
                let lease = Lease(owner: WorkerName(worker), end: nil)
                return lease.state(at: clock, length: .zero, in: session.dialect) == .processEnded
            }
        }
        for worker in dead {
            _ = try await store.relaxedTransaction { session in
                try session.run(
                    """
                    UPDATE gateway_push_deliveries SET state = 0, due = $1
                    WHERE state < 2 AND state = 1 AND worker = $2
                    """, [.integer(try session.clock().now), .text(worker)])
            }
        }
    }

    /// Returns what is held by anyone, a bounded part of it.
    package func leases() async throws -> [PushLease] {
        try await store.rows(
            "SELECT id, claim, due FROM gateway_push_deliveries WHERE state < 2 AND state = 1 LIMIT 10000", []
        ).compactMap { row in
            guard let id = row.integer(0), let claim = row.integer(1), let due = row.integer(2) else { return nil }
            return PushLease(id: id, claim: claim, due: due)
        }
    }

    /// Ends leases that nobody renewed since they were read: what they hold is due.
    package func endLeases(_ leases: [PushLease]) async throws {
        guard !leases.isEmpty else { return }
        try await store.relaxedTransaction { session in
            let now = try session.clock().now
            for lease in leases.sorted(by: { $0.id < $1.id }) {
                try session.run(
                    """
                    UPDATE gateway_push_deliveries SET state = 0, due = $1 WHERE id = $2 AND claim = $3 AND due = $4
                    AND state = 1
                    """, [.integer(now), .integer(lease.id), .integer(lease.claim), .integer(lease.due)])
            }
        }
    }

    /// Brings what was stored by a clock that was ahead, by more than ``PushScheduleStore/tolerance``, to the time of now:
    /// pauses keep their length, and what waits for a digest or an hour is decided about again.
    ///
    /// - Returns: Whether there may be more.
    package func pullBack(_ channels: [String]) async throws -> Bool {
        try await store.relaxedTransaction { session in
            let now = try session.clock().now
            let ahead = SQLValue.integer(now + PushScheduleStore.tolerance)
            var count = 0
            for channel in channels {
                // Bounded, since another program may have stored any number.
                let changed = try session.run(
                    """
                    UPDATE gateway_push_deliveries SET due = $1 + CASE WHEN due < updated_at THEN 0
                    WHEN due - updated_at < 31622400000 THEN due - updated_at ELSE 31622400000 END,
                    updated_at = $1 WHERE id IN (SELECT id FROM gateway_push_deliveries
                    WHERE channel = $2 AND state < 2 AND state = 0 AND updated_at > $3 LIMIT 1000)
                    """, [.integer(now), .text(channel), ahead])
                count = max(count, changed)
            }
            let changed = try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 0, due = $1, digest_due = NULL, updated_at = $1
                WHERE id IN (SELECT id FROM gateway_push_deliveries
                WHERE state = 3 AND digest_id IS NULL AND updated_at > $2 LIMIT 1000)
                """, [.integer(now), ahead])
            return max(count, changed) == 1000
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
