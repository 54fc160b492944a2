import Database
package import Foundation

/// What a device reports of a notification.
package enum PushReceipt: Sendable, Hashable {
    /// The device has it.
    case delivered
    /// A person opened it.
    case opened
    /// A person pressed a button.
    case action(String)
    /// A person took note of it, so that an emergency is not repeated.
    case acknowledged
    /// A shortcut ran, or failed; with what it gave.
    case result(Bool, output: String?)

    /// Bytes of an output at most.
    package static let maxOutput = 4096
}

/// What senders and devices change.
extension PushOutbox {
    /// Notes what a device reports. Opening, pressing and acknowledging end the repeats of an emergency on all devices.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func note(_ receipt: PushReceipt, of delivery: String) async throws -> StoredPushDelivery {
        try await store.transaction { session in
            try NewPushEvent.lock(session)
            let found = try Self.delivery(delivery, session)
            let now = try session.clock().now
            try session.run(
                """
                UPDATE gateway_push_deliveries SET delivered_at = coalesce(delivered_at, $1), updated_at = $1
                WHERE id = $2
                """, [.integer(now), .integer(found.id)])
            func log(_ kind: String, _ detail: String = "") throws {
                try NewPushEvent(kind, detail, of: found).add(at: now, session)
            }
            func set(_ assignment: String, _ value: SQLValue) throws {
                try session.run(
                    "UPDATE gateway_push_deliveries SET \(assignment) WHERE id = $2", [value, .integer(found.id)])
            }
            switch receipt {
            case .delivered: try log("delivered")
            case .opened:
                try set("opened_at = coalesce(opened_at, $1)", .integer(now))
                try log("opened")
            case .action(let action):
                try set("action = $1", .text(action))
                try log("action", action)
            case .acknowledged: try log("acknowledged")
            case .result(let succeeded, let output):
                let word = succeeded ? "succeeded" : "failed"
                try log("result", output.map { "\(word): \($0)" } ?? word)
            }
            if receipt != .delivered {
                try set("acknowledged_at = coalesce(acknowledged_at, $1)", .integer(now))
                try session.run(
                    """
                    UPDATE gateway_push_deliveries SET state = 2, claim = claim + 1, updated_at = $1,
                    reason = 'someone acknowledged it' WHERE message_id = $2 AND state < 2 AND repeats > 0
                    """, [.integer(now), .integer(found.messageID)])
            }
            return try Self.delivery(delivery, session)
        }
    }

    /// Whether someone acknowledged a message on any device.
    package func isAcknowledged(_ message: Int64) async throws -> Bool {
        try await !store.rows(
            "SELECT 1 FROM gateway_push_deliveries WHERE message_id = $1 AND acknowledged_at IS NOT NULL LIMIT 1",
            [.integer(message)]
        ).isEmpty
    }

    /// Replaces the content of a message. Devices that have it get the new one in its place; waiting ones get only the
    /// new one.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for a recalled message.
    package func update(_ uuid: String, body: Data, priority: Int, expires: Int64?) async throws -> PushSubmission {
        try await store.transaction { session in
            try NewPushEvent.lock(session)
            let message = try Self.live(uuid, session)
            let now = try session.clock().now
            try session.run(
                """
                UPDATE gateway_push_messages SET body = $1, priority = $2, expires = $3, revision = revision + 1,
                updated_at = $4 WHERE id = $5
                """,
                [.bytes(Array(body)), .count(priority), .integer(expires), .integer(now), .integer(message.id)])
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 0, due = $1, attempts = 0, tried_other = 0, renewed = 0,
                repeats = 0, first_sent_at = NULL, acknowledged_at = NULL, updated_at = $1
                WHERE message_id = $2 AND state IN (2, 5)
                AND device_id IN (SELECT id FROM gateway_push_devices WHERE retired IS NULL)
                """, [.integer(now), .integer(message.id)])
            try NewPushEvent("updated", message: message.id).add(at: now, session)
            return try Self.whole(uuid, session)
        }
    }

    /// Takes a message back: what waits is not sent.
    ///
    /// - Returns: The message, and the deliveries that may have reached their devices already.
    /// - Throws: ``StorageError/Code/notFound``.
    package func recall(_ uuid: String) async throws -> (message: PushSubmission, reached: [StoredPushDelivery]) {
        try await store.transaction { session in
            try NewPushEvent.lock(session)
            guard let message = try Self.message(session, where: "m.uuid = $1", .text(uuid)) else {
                throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
            }
            let now = try session.clock().now
            var reached: [StoredPushDelivery] = []
            for (delivery, _, _) in try Self.deliveries(of: message.id, session) where !message.isRecalled {
                let mayHave = delivery.state == .sent || delivery.state == .sending || delivery.sentAt != nil
                if mayHave { reached.append(delivery) }
            }
            try session.run(
                "UPDATE gateway_push_messages SET is_recalled = 1, updated_at = $1 WHERE id = $2",
                [.integer(now), .integer(message.id)])
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 6, claim = claim + 1, updated_at = $1,
                reason = 'the sender took it back'
                WHERE message_id = $2 AND (state < 3 OR state = 3 AND digest_id IS NULL)
                """, [.integer(now), .integer(message.id)])
            for (delivery, _, _) in try Self.deliveries(of: message.id, session) where delivery.state == .recalled {
                try NewPushEvent("recalled", of: delivery).add(at: now, session)
            }
            return (try Self.whole(uuid, session), reached)
        }
    }

    /// Makes a given-up delivery due now, with all its attempts.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for one that was not given up, or whose
    ///   device is retired.
    package func retry(_ uuid: String) async throws -> StoredPushDelivery {
        try await store.transaction { session in
            try NewPushEvent.lock(session)
            let delivery = try Self.delivery(uuid, session)
            guard delivery.state == .failed else {
                throw StorageError(.conflict, "only a failed delivery can be retried; this one is \(delivery.state)")
            }
            let device = try session.first(
                "SELECT id FROM gateway_push_devices WHERE id = $1 AND retired IS NULL", [.integer(delivery.deviceID)])
            guard device != nil else {
                throw StorageError(.conflict, "the device of the delivery is retired; it has to register again")
            }
            let now = try session.clock().now
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 0, due = $1, attempts = 0, tried_other = 0, renewed = 0,
                reason = 'retried by hand', updated_at = $1 WHERE id = $2
                """, [.integer(now), .integer(delivery.id)])
            try NewPushEvent("retried", of: delivery).add(at: now, session)
            return try Self.delivery(uuid, session)
        }
    }

    /// Drops a given-up delivery, so that it is not listed as failed any more.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for one that was not given up.
    package func discard(_ uuid: String) async throws -> StoredPushDelivery {
        try await store.transaction { session in
            try NewPushEvent.lock(session)
            let delivery = try Self.delivery(uuid, session)
            guard delivery.state == .failed else {
                throw StorageError(.conflict, "only a failed delivery can be discarded; this one is \(delivery.state)")
            }
            let now = try session.clock().now
            try session.run(
                """
                UPDATE gateway_push_deliveries SET state = 4,
                reason = 'discarded by hand' || coalesce(': ' || reason, ''), updated_at = $1 WHERE id = $2
                """, [.integer(now), .integer(delivery.id)])
            try NewPushEvent("discarded", of: delivery).add(at: now, session)
            return try Self.delivery(uuid, session)
        }
    }

    static func delivery(_ uuid: String, _ session: any SQLSession) throws -> StoredPushDelivery {
        let row = try session.first(
            "SELECT \(StoredPushDelivery.columns(session.dialect)) FROM gateway_push_deliveries v WHERE v.uuid = $1",
            [.text(uuid)])
        guard let delivery = row.flatMap({ StoredPushDelivery($0) }) else {
            throw StorageError(.notFound, "there is no delivery \(uuid.prefix(64))")
        }
        return delivery
    }

    private static func live(_ uuid: String, _ session: any SQLSession) throws -> StoredPushMessage {
        guard let message = try message(session, where: "m.uuid = $1", .text(uuid)) else {
            throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
        }
        guard !message.isRecalled else {
            throw StorageError(.conflict, "the notification was recalled; send a new one")
        }
        return message
    }
}
