package import Foundation
import GRDB
package import GatewayAPI

/// An event of notifications. Ids only grow.
package struct StoredPushEvent: Sendable, Hashable {
    package var id: Int64
    /// When it happened, in milliseconds since 1970.
    package var at: Int64
    /// What happened, such as `sent`.
    package var kind: String
    package var detail: String
    /// The public ids of what it is about.
    package var device: String?
    package var message: String?
    package var delivery: String?
    package var topic: String?
    /// The message as JSON, when the reader wants it and it is still stored.
    package var body: Data?

    static let columns = """
        e.id, e.at, e.kind, \(ValueLimit.bounded("e.detail", 8192)) AS detail, d.uuid AS device, m.uuid AS message,
        v.uuid AS delivery, m.topic AS topic
        """
    static let source = """
        gateway_push_events e LEFT JOIN gateway_push_devices d ON d.id = e.device_id
        LEFT JOIN gateway_push_messages m ON m.id = e.message_id
        LEFT JOIN gateway_push_deliveries v ON v.id = e.delivery_id
        """

    init?(_ row: Row) {
        guard let id = row.integer("id"), let kind = row.text("kind") else { return nil }
        self.id = id
        self.kind = kind
        at = row.integer("at") ?? 0
        detail = row.text("detail") ?? ""
        device = row.text("device")
        message = row.text("message")
        delivery = row.text("delivery")
        topic = row.text("topic")
        body = row.bytes("body")
    }
}

/// A delivery with its message and the name of its device, for lists.
package struct PushLogEntry: Sendable {
    package var delivery: StoredPushDelivery
    package var message: StoredPushMessage
    package var device: String?
    package var deviceName: String?
    package var channel: String?
}

/// Which deliveries a list has; nil for any.
package struct PushLogFilter: Sendable, Hashable {
    /// The public id of a device.
    package var device: String?
    package var topic: String?
    package var state: PushState?
    /// What the title, subtitle or body contains, in any case.
    package var text: String?

    package init() {}
}

/// What a reader of events reads next.
package enum PushEventBatch: Sendable {
    /// Events after the given one, in order, and the id up to which the reader has seen all.
    case events([StoredPushEvent], upTo: Int64)
    /// The given id is unknown or pruned: the reader starts anew from here.
    case reset(from: Int64)
}

/// Reads what happened to notifications.
package struct PushLog: Sendable {
    let database: GatewayDatabase

    /// Rows that one page looks at, at most; a page of a rare filter may be short and still have a next one.
    static let maxScan = 20_000
    /// Rows whose messages one page reads, at most.
    static let maxSearch = 5000
    /// The texts of a message that a search looks at.
    private static let texts = ["title", "subtitle", "body"].map { name in
        "CASE WHEN json_valid(CAST(m.body AS TEXT)) THEN json_extract(CAST(m.body AS TEXT), '$.\(name)') END"
    }
    /// Events of one delivery at most.
    package static let maxEvents = 500

    /// Returns a page of deliveries, newest first.
    package func page(_ filter: PushLogFilter, after cursor: PageCursor?, limit: Int) async throws -> Page<PushLogEntry>
    {
        try cursor?.check(numbers: 1)
        return try await database.read { database in
            var conditions = ["v.id < ?"]
            let before = cursor?.numbers[0] ?? .max
            var arguments: StatementArguments = [before]
            if let device = filter.device {
                conditions.append("v.device_id = (SELECT id FROM gateway_push_devices WHERE uuid = ?)")
                arguments += [device]
            }
            // The rows that this page looks at end here.
            let last = try Scalar.integer(
                database,
                sql: """
                    SELECT min(id) FROM (SELECT v.id FROM gateway_push_deliveries v
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY v.id DESC LIMIT \(filter.text == nil ? Self.maxScan : Self.maxSearch))
                    """, arguments: arguments)
            guard let last else { return Page(items: [], next: nil) }
            conditions.append("v.id >= ?")
            arguments += [last]
            if let topic = filter.topic {
                conditions.append("m.topic = ?")
                arguments += [topic]
            }
            if let state = filter.state {
                conditions.append("v.state = ?")
                arguments += [state.rawValue]
            }
            if let text = filter.text {
                let condition = FoldedContains.condition(Self.texts, contain: text)
                conditions.append(condition.sql)
                arguments += condition.arguments
            }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(StoredPushDelivery.columns), \(StoredPushMessage.columns), d.uuid AS d_uuid,
                    \(ValueLimit.bounded("d.name", 4096)) AS d_name, d.channel AS d_channel
                    FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                    LEFT JOIN gateway_push_devices d ON d.id = v.device_id
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY v.id DESC LIMIT ?
                    """, arguments: arguments + [limit + 1])
            var found: [(item: PushLogEntry, cursor: PageCursor)] = []
            while let row = try rows.next() {
                guard let delivery = StoredPushDelivery(row), let message = StoredPushMessage(row) else { continue }
                found.append(
                    (
                        PushLogEntry(
                            delivery: delivery, message: message, device: row.text("d_uuid"),
                            deviceName: row.text("d_name"), channel: row.text("d_channel")),
                        PageCursor(delivery.id)
                    ))
            }
            var page = Page(found, limit: limit) { $0.message.body.count + 2048 }
            let hasMore = try Scalar.integer(
                database, sql: "SELECT 1 FROM gateway_push_deliveries WHERE id < ? LIMIT 1", arguments: [last])
            if page.next == nil, hasMore != nil { page.next = PageCursor(last) }
            return page
        }
    }

    /// Returns a delivery with its message, device and events.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func entry(
        _ uuid: String
    ) async throws -> (entry: PushLogEntry, device: StoredPushDevice?, events: [StoredPushEvent]) {
        try await database.read { database in
            let delivery = try PushOutbox.delivery(uuid, database)
            guard
                let message = try PushOutbox.message(database, where: "m.id = ?", [delivery.messageID])
            else { throw StorageError(.notFound, "the notification of delivery \(uuid.prefix(64)) is gone") }
            let device = try PushDeviceStore.all(database, where: "d.id = ?", [delivery.deviceID]).first
            let events = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(StoredPushEvent.columns) FROM \(StoredPushEvent.source)
                    WHERE e.delivery_id = ? ORDER BY e.id DESC LIMIT ?
                    """, arguments: [delivery.id, Self.maxEvents]
            ).compactMap { StoredPushEvent($0) }
            return (
                PushLogEntry(
                    delivery: delivery, message: message, device: device?.uuid, deviceName: device?.name,
                    channel: device?.channel), device, events.reversed()
            )
        }
    }

    /// Returns events after an id, oldest first.
    ///
    /// - Parameters:
    ///   - seen: The last event that the reader has; nil starts with what happens from now on.
    ///   - device: Only events of this device's row; nil for all.
    ///   - kinds: Only events of these kinds; empty for all.
    ///   - hasBodies: Whether messages come with the events.
    package func events(
        after seen: Int64?, device: Int64?, kinds: [String], hasBodies: Bool, limit: Int
    ) async throws -> PushEventBatch {
        try await database.read { database in
            let newest =
                try Scalar.integer(
                    database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_push_events'") ?? 0
            guard let seen else { return .events([], upTo: newest) }
            let oldest = try Scalar.integer(database, sql: "SELECT min(id) FROM gateway_push_events") ?? newest + 1
            guard seen <= newest, seen >= oldest - 1 else { return .reset(from: newest) }
            var conditions = ["e.id > ?"]
            var arguments: StatementArguments = [seen]
            if let device {
                conditions.append("e.device_id = ?")
                arguments += [device]
            }
            if !kinds.isEmpty {
                conditions.append("e.kind IN (\(databaseQuestionMarks(count: kinds.count)))")
                arguments += StatementArguments(kinds)
            }
            let body = hasBodies ? ", \(ValueLimit.bounded("m.body", StoredPushMessage.maxBody)) AS body" : ""
            let events = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(StoredPushEvent.columns)\(body) FROM \(StoredPushEvent.source)
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY e.id LIMIT ?
                    """, arguments: arguments + [limit]
            ).compactMap { StoredPushEvent($0) }
            // Fewer than asked for means that all up to the newest were looked at.
            return .events(events, upTo: events.count < limit ? newest : events.last?.id ?? newest)
        }
    }

    /// A number that changes when another connection or process wrote to the file, or this one added an event.
    package func newestEvent() async throws -> Int64 {
        try await database.read {
            try Scalar.integer($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_push_events'") ?? 0
        }
    }
}
