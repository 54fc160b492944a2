package import Database
package import Foundation
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

    /// The columns that ``init(_:)`` reads, in their order; the last one is the message's body, or NULL.
    static func columns(_ words: SQLDialect, hasBody: Bool = false) -> String {
        """
        e.id, e.at, e.kind, \(words.bounded("e.detail", 8192)), d.uuid, m.uuid, v.uuid, m.topic,
        \(hasBody ? words.bounded("m.body", StoredPushMessage.maxBody) : "NULL")
        """
    }
    static let source = """
        gateway_push_events e LEFT JOIN gateway_push_devices d ON d.id = e.device_id
        LEFT JOIN gateway_push_messages m ON m.id = e.message_id
        LEFT JOIN gateway_push_deliveries v ON v.id = e.delivery_id
        """

    init?(_ row: SQLRow) {
        guard let id = row.integer(0), let kind = row.text(2) else { return nil }
        self.id = id
        self.kind = kind
        at = row.integer(1) ?? 0
        detail = row.text(3) ?? ""
        device = row.text(4)
        message = row.text(5)
        delivery = row.text(6)
        topic = row.text(7)
        body = row.bytes(8).map { Data($0) }
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
    let store: any SQLStore

    /// Rows that one page looks at, at most; a page of a rare filter may be short and still have a next one.
    static let maxScan = 20_000
    /// Rows whose messages one page reads, at most.
    static let maxSearch = 5000
    /// Events of one delivery at most.
    package static let maxEvents = 500

    /// Returns a page of deliveries, newest first.
    package func page(_ filter: PushLogFilter, after cursor: PageCursor?, limit: Int) async throws -> Page<PushLogEntry>
    {
        try cursor?.check(numbers: 1)
        return try await store.snapshot { session in
            let words = session.dialect
            var parameters = SQLParameters()
            var conditions = ["v.id < \(parameters.add(.integer(cursor?.numbers[0] ?? Int64.max)))"]
            if let device = filter.device {
                let uuid = parameters.add(.text(device))
                conditions.append("v.device_id = (SELECT id FROM gateway_push_devices WHERE uuid = \(uuid))")
            }
            // The rows that this page looks at end here.
            let last = try session.first(
                """
                SELECT min(id) FROM (SELECT v.id FROM gateway_push_deliveries v
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY v.id DESC
                LIMIT \(filter.text == nil ? Self.maxScan : Self.maxSearch)) AS seen
                """, parameters.values)
            guard let last = last?.integer(0) else { return Page(items: [], next: nil) }
            conditions.append("v.id >= \(parameters.add(.integer(last)))")
            if let topic = filter.topic { conditions.append("m.topic = \(parameters.add(.text(topic)))") }
            if let state = filter.state { conditions.append("v.state = \(parameters.add(.integer(state.rawValue)))") }
            if let text = filter.text {
                let found = try PushSearch(text).deliveries(conditions, parameters, limit: limit + 1, session)
                conditions.append("v.id IN \(words.numbers(parameters.add(.numbers(found))))")
            }
            let rows = try session.rows(
                """
                SELECT \(StoredPushDelivery.columns(words)), \(StoredPushMessage.columns(words)), d.uuid,
                \(words.bounded("d.name", 4096)), d.channel
                FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                LEFT JOIN gateway_push_devices d ON d.id = v.device_id
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY v.id DESC LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = rows.compactMap { row -> (item: PushLogEntry, cursor: PageCursor)? in
                let (second, third) = (
                    StoredPushDelivery.columnCount, StoredPushDelivery.columnCount + StoredPushMessage.columnCount
                )
                guard let delivery = StoredPushDelivery(row), let message = StoredPushMessage(row, from: second) else {
                    return nil
                }
                let entry = PushLogEntry(
                    delivery: delivery, message: message, device: row.text(third), deviceName: row.text(third + 1),
                    channel: row.text(third + 2))
                return (entry, PageCursor(delivery.id))
            }
            var page = Page(found, limit: limit) { $0.message.body.count + 2048 }
            let more = try session.first(
                "SELECT id FROM gateway_push_deliveries WHERE id < $1 LIMIT 1", [.integer(last)])
            if page.next == nil, more != nil { page.next = PageCursor(last) }
            return page
        }
    }

    /// Returns a delivery with its message, device and events.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func entry(
        _ uuid: String
    ) async throws -> (entry: PushLogEntry, device: StoredPushDevice?, events: [StoredPushEvent]) {
        try await store.snapshot { session in
            let delivery = try PushOutbox.delivery(uuid, session)
            guard let message = try PushOutbox.message(session, where: "m.id = $1", .integer(delivery.messageID)) else {
                throw StorageError(.notFound, "the notification of delivery \(uuid.prefix(64)) is gone")
            }
            let device = try PushDeviceStore.all(session, where: "d.id = $1", [.integer(delivery.deviceID)]).first
            let events = try session.rows(
                """
                SELECT \(StoredPushEvent.columns(session.dialect)) FROM \(StoredPushEvent.source)
                WHERE e.delivery_id = $1 ORDER BY e.id DESC LIMIT $2
                """, [.integer(delivery.id), .count(Self.maxEvents)]
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
        try await store.snapshot { session in
            let newest = try Self.newestEvent(session)
            guard let seen else { return .events([], upTo: newest) }
            let oldest = try Self.oldestEvent(session) ?? newest + 1
            guard seen <= newest, seen >= oldest - 1 else { return .reset(from: newest) }
            var parameters = SQLParameters()
            var conditions = ["e.id > \(parameters.add(.integer(seen)))"]
            if let device { conditions.append("e.device_id = \(parameters.add(.integer(device)))") }
            if !kinds.isEmpty {
                conditions.append("e.kind IN \(session.dialect.texts(parameters.add(.texts(kinds))))")
            }
            let events = try session.rows(
                """
                SELECT \(StoredPushEvent.columns(session.dialect, hasBody: hasBodies)) FROM \(StoredPushEvent.source)
                WHERE \(conditions.joined(separator: " AND ")) ORDER BY e.id LIMIT \(parameters.add(.count(limit)))
                """, parameters.values
            ).compactMap { StoredPushEvent($0) }
            // Fewer than asked for means that all up to the newest were looked at.
            return .events(events, upTo: events.count < limit ? newest : events.last?.id ?? newest)
        }
    }

    /// A number that changes when another connection or process wrote to the store, or this one added an event.
    package func newestEvent() async throws -> Int64 { try await store.snapshot { try Self.newestEvent($0) } }

    /// The id of the newest event; 0 before the first one.
    static func newestEvent(_ session: any SQLSession) throws -> Int64 {
        // Of a file, versions before pruned all events.
        let statement =
            switch session.dialect {
            case .sqlite: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_push_events'"
            case .postgres: "SELECT max(id) FROM gateway_push_events"
            }
        return try session.first(statement)?.integer(0) ?? 0
    }

    static func oldestEvent(_ session: any SQLSession) throws -> Int64? {
        try session.first("SELECT min(id) FROM gateway_push_events")?.integer(0)
    }
}
