import GRDB

/// Where a reader of a device's events begins.
package enum PushLogStart: Sendable, Hashable {
    /// With the next event.
    case next
    /// With the oldest event that is stored.
    case oldest
    /// With the newest message of one of the topics.
    case newest(topics: [String])
    /// With the first event at this time or later, in milliseconds since 1970.
    case at(Int64)
    /// After the event with which the message of this id was sent first; the oldest event for an unknown message.
    case after(String)
}

extension PushLog {
    /// Returns the id of the event after which a reader of a device's row begins.
    ///
    /// It costs as much as the events that the reader is going to read; ``PushLogStart/newest(topics:)`` looks at ``maxScan``
    /// events at most.
    package func position(of start: PushLogStart, device: Int64) async throws -> Int64 {
        try await database.read { database in
            let newest =
                try Scalar.integer(
                    database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_push_events'") ?? 0
            let oldest = try Scalar.integer(database, sql: "SELECT min(id) FROM gateway_push_events")
            let first = oldest.map { $0 - 1 } ?? newest
            switch start {
            case .next: return newest
            case .oldest: return first
            case .newest(let topics):
                guard !topics.isEmpty else { return newest }
                let found = try Scalar.integer(
                    database,
                    sql: """
                        SELECT recent.id FROM (SELECT id, kind, message_id FROM gateway_push_events
                        WHERE device_id = ? ORDER BY id DESC LIMIT \(Self.maxScan)) recent
                        CROSS JOIN gateway_push_messages m ON m.id = recent.message_id
                        WHERE recent.kind = 'sent' AND m.topic IN (\(databaseQuestionMarks(count: topics.count)))
                        ORDER BY recent.id DESC LIMIT 1
                        """, arguments: [device] + StatementArguments(topics))
                return found.map { $0 - 1 } ?? newest
            case .at(let time):
                return try Scalar.integer(
                    database,
                    sql: """
                        SELECT id FROM gateway_push_events WHERE device_id = ? AND at < ? ORDER BY id DESC LIMIT 1
                        """, arguments: [device, time]) ?? first
            case .after(let message):
                return try Scalar.integer(
                    database,
                    sql: """
                        SELECT min(e.id) FROM gateway_push_messages m
                        CROSS JOIN gateway_push_deliveries v ON v.message_id = m.id
                        CROSS JOIN gateway_push_events e ON e.delivery_id = v.id
                        WHERE m.uuid = ? AND v.device_id = ? AND e.kind = 'sent'
                        """, arguments: [message, device]) ?? first
            }
        }
    }
}

extension PushLog {
    /// Returns messages to a device's row that wait for the time at which they are to be sent, the earliest first.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func scheduled(
        device: Int64, channel: String, now: Int64, limit: Int
    ) async throws -> [StoredPushMessage] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(StoredPushMessage.columns) FROM gateway_push_deliveries v
                    CROSS JOIN gateway_push_messages m ON m.id = v.message_id
                    WHERE v.channel = ? AND v.state < 2 AND v.device_id = ? AND m.not_before > ? AND m.is_recalled = 0
                    ORDER BY m.not_before, m.id LIMIT ?
                    """, arguments: [channel, device, now, limit]
            ).compactMap { StoredPushMessage($0) }
        }
    }
}

extension PushDeviceStore {
    /// Returns the live device of an address; nil for none.
    package func find(channel: String, address: String) async throws -> StoredPushDevice? {
        try await database.read {
            try Self.all($0, where: "d.channel = ? AND d.address = ? AND d.retired IS NULL", [channel, address]).first
        }
    }
}
