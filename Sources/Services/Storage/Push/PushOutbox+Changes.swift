package import Foundation
import GRDB

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
        try await database.write { database in
            let found = try Self.delivery(delivery, database)
            let now = clock()
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET delivered_at = coalesce(delivered_at, ?), updated_at = ?
                    WHERE id = ?
                    """, arguments: [now, now, found.id])
            let event = try Self.eventStatement(database)
            func log(_ kind: String, _ detail: String = "") throws {
                try event.execute(arguments: [now, kind, found.deviceID, found.messageID, found.id, detail])
            }
            func set(_ assignment: String, _ arguments: StatementArguments = []) throws {
                try database.execute(
                    sql: "UPDATE gateway_push_deliveries SET \(assignment) WHERE id = ?",
                    arguments: arguments + [found.id])
            }
            switch receipt {
            case .delivered: try log("delivered")
            case .opened:
                try set("opened_at = coalesce(opened_at, ?)", [now])
                try log("opened")
            case .action(let action):
                try set("action = ?", [action])
                try log("action", action)
            case .acknowledged: try log("acknowledged")
            case .result(let succeeded, let output):
                let word = succeeded ? "succeeded" : "failed"
                try log("result", output.map { "\(word): \($0)" } ?? word)
            }
            if receipt != .delivered {
                try set("acknowledged_at = coalesce(acknowledged_at, ?)", [now])
                try database.execute(
                    sql: """
                        UPDATE gateway_push_deliveries SET state = 2, claim = claim + 1, updated_at = ?,
                        reason = 'someone acknowledged it' WHERE message_id = ? AND state < 2 AND repeats > 0
                        """, arguments: [now, found.messageID])
            }
            return try Self.delivery(delivery, database)
        }
    }

    /// Whether someone acknowledged a message on any device.
    package func isAcknowledged(_ message: Int64) async throws -> Bool {
        try await database.read {
            try Scalar.integer(
                $0,
                sql:
                    "SELECT 1 FROM gateway_push_deliveries WHERE message_id = ? AND acknowledged_at IS NOT NULL LIMIT 1",
                arguments: [message]) != nil
        }
    }

    /// Replaces the content of a message. Devices that have it get the new one in its place; waiting ones get only the
    /// new one.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for a recalled message.
    package func update(_ uuid: String, body: Data, priority: Int, expires: Int64?) async throws -> PushSubmission {
        try await database.write { database in
            let message = try Self.live(uuid, database)
            let now = clock()
            try database.execute(
                sql: """
                    UPDATE gateway_push_messages SET body = ?, priority = ?, expires = ?, revision = revision + 1,
                    updated_at = ? WHERE id = ?
                    """, arguments: [body, priority, expires, now, message.id])
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 0, due = ?1, attempts = 0, tried_other = 0, renewed = 0,
                    repeats = 0, first_sent_at = NULL, acknowledged_at = NULL, updated_at = ?1
                    WHERE message_id = ?2 AND state IN (2, 5)
                    AND device_id IN (SELECT id FROM gateway_push_devices WHERE retired IS NULL)
                    """, arguments: [now, message.id])
            try Self.eventStatement(database).execute(arguments: [now, "updated", nil, message.id, nil, ""])
            return try Self.whole(uuid, database)
        }
    }

    /// Takes a message back: what waits is not sent.
    ///
    /// - Returns: The message, and the deliveries that may have reached their devices already.
    /// - Throws: ``StorageError/Code/notFound``.
    package func recall(_ uuid: String) async throws -> (message: PushSubmission, reached: [StoredPushDelivery]) {
        try await database.write { database in
            guard let message = try Self.message(database, where: "m.uuid = ?", [uuid]) else {
                throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
            }
            let now = clock()
            var reached: [StoredPushDelivery] = []
            for (delivery, _, _) in try Self.deliveries(of: message.id, database) where !message.isRecalled {
                let mayHave = delivery.state == .sent || delivery.state == .sending || delivery.sentAt != nil
                if mayHave { reached.append(delivery) }
            }
            try database.execute(
                sql: "UPDATE gateway_push_messages SET is_recalled = 1, updated_at = ? WHERE id = ?",
                arguments: [now, message.id])
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 6, claim = claim + 1, updated_at = ?,
                    reason = 'the sender took it back'
                    WHERE message_id = ? AND (state < 3 OR state = 3 AND digest_id IS NULL)
                    """, arguments: [now, message.id])
            let event = try Self.eventStatement(database)
            for (delivery, _, _) in try Self.deliveries(of: message.id, database) where delivery.state == .recalled {
                try event.execute(
                    arguments: [now, "recalled", delivery.deviceID, message.id, delivery.id, ""])
            }
            return (try Self.whole(uuid, database), reached)
        }
    }

    /// Makes a given-up delivery due now, with all its attempts.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for one that was not given up, or whose
    ///   device is retired.
    package func retry(_ uuid: String) async throws -> StoredPushDelivery {
        try await database.write { database in
            let delivery = try Self.delivery(uuid, database)
            guard delivery.state == .failed else {
                throw StorageError(.conflict, "only a failed delivery can be retried; this one is \(delivery.state)")
            }
            let isLive =
                try Scalar.integer(
                    database, sql: "SELECT 1 FROM gateway_push_devices WHERE id = ? AND retired IS NULL",
                    arguments: [delivery.deviceID]) != nil
            guard isLive else {
                throw StorageError(.conflict, "the device of the delivery is retired; it has to register again")
            }
            let now = clock()
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 0, due = ?1, attempts = 0, tried_other = 0, renewed = 0,
                    reason = 'retried by hand', updated_at = ?1 WHERE id = ?2
                    """, arguments: [now, delivery.id])
            try Self.eventStatement(database).execute(
                arguments: [now, "retried", delivery.deviceID, delivery.messageID, delivery.id, ""])
            return try Self.delivery(uuid, database)
        }
    }

    /// Drops a given-up delivery, so that it is not listed as failed any more.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` for one that was not given up.
    package func discard(_ uuid: String) async throws -> StoredPushDelivery {
        try await database.write { database in
            let delivery = try Self.delivery(uuid, database)
            guard delivery.state == .failed else {
                throw StorageError(.conflict, "only a failed delivery can be discarded; this one is \(delivery.state)")
            }
            let now = clock()
            try database.execute(
                sql: """
                    UPDATE gateway_push_deliveries SET state = 4,
                    reason = 'discarded by hand' || coalesce(': ' || reason, ''), updated_at = ?1 WHERE id = ?2
                    """, arguments: [now, delivery.id])
            try Self.eventStatement(database).execute(
                arguments: [now, "discarded", delivery.deviceID, delivery.messageID, delivery.id, ""])
            return try Self.delivery(uuid, database)
        }
    }

    static func delivery(_ uuid: String, _ database: Database) throws -> StoredPushDelivery {
        let row = try Row.fetchOne(
            database, sql: "SELECT \(StoredPushDelivery.columns) FROM gateway_push_deliveries v WHERE v.uuid = ?",
            arguments: [uuid])
        guard let delivery = row.flatMap({ StoredPushDelivery($0) }) else {
            throw StorageError(.notFound, "there is no delivery \(uuid.prefix(64))")
        }
        return delivery
    }

    private static func live(_ uuid: String, _ database: Database) throws -> StoredPushMessage {
        guard let message = try message(database, where: "m.uuid = ?", [uuid]) else {
            throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))")
        }
        guard !message.isRecalled else {
            throw StorageError(.conflict, "the notification was recalled; send a new one")
        }
        return message
    }

    private static func whole(_ uuid: String, _ database: Database) throws -> PushSubmission {
        let message = try PushOutbox.message(database, where: "m.uuid = ?", [uuid])
        guard let message else { throw StorageError(.notFound, "there is no notification \(uuid.prefix(64))") }
        return PushSubmission(
            message: message, deliveries: try deliveries(of: message.id, database), isKnown: true)
    }
}
