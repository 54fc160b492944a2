import Database

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
        try await store.snapshot { session in
            let newest = try Self.newestEvent(session)
            let first = try Self.oldestEvent(session).map { $0 - 1 } ?? newest
            let words = session.dialect
            switch start {
            case .next: return newest
            case .oldest: return first
            case .newest(let topics):
                guard !topics.isEmpty else { return newest }
                var parameters = SQLParameters()
                let found = try session.first(
                    """
                    SELECT recent.id FROM (SELECT id, kind, message_id FROM gateway_push_events
                    WHERE device_id = \(parameters.add(.integer(device))) ORDER BY id DESC LIMIT \(Self.maxScan)) recent
                    \(words.joinsNext) gateway_push_messages m ON m.id = recent.message_id
                    WHERE recent.kind = 'sent' AND m.topic IN \(words.texts(parameters.add(.texts(topics))))
                    ORDER BY recent.id DESC LIMIT 1
                    """, parameters.values)
                return found?.integer(0).map { $0 - 1 } ?? newest
            case .at(let time):
                return try session.first(
                    "SELECT id FROM gateway_push_events WHERE device_id = $1 AND at < $2 ORDER BY id DESC LIMIT 1",
                    [.integer(device), .integer(time)]
                )?.integer(0) ?? first
            case .after(let message):
                return try session.first(
                    """
                    SELECT min(e.id) FROM gateway_push_messages m
                    \(words.joinsNext) gateway_push_deliveries v ON v.message_id = m.id
                    \(words.joinsNext) gateway_push_events e ON e.delivery_id = v.id
                    WHERE m.uuid = $1 AND v.device_id = $2 AND e.kind = 'sent'
                    """, [.text(message), .integer(device)]
                )?.integer(0) ?? first
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
        try await store.rows(
            """
            SELECT \(StoredPushMessage.columns(store.dialect)) FROM gateway_push_deliveries v
            \(store.dialect.joinsNext) gateway_push_messages m ON m.id = v.message_id
            WHERE v.channel = $1 AND v.state < 2 AND v.device_id = $2 AND m.not_before > $3 AND m.is_recalled = 0
            ORDER BY m.not_before, m.id LIMIT $4
            """, [.text(channel), .integer(device), .integer(now), .count(limit)]
        ).compactMap { StoredPushMessage($0) }
    }
}
