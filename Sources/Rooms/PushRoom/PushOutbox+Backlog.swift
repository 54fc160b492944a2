import Database

/// What waits in the lane of a channel.
package struct PushBacklog: Sendable, Hashable {
    /// The channel, such as `apns`.
    package var channel: String
    /// Deliveries that wait or are being sent, counted up to a limit.
    package var waiting: Int
    /// When the first of them was or will be due, in milliseconds since 1970; nil when none waits.
    package var firstDue: Int64?
}

/// The devices of a channel.
package struct PushDeviceCount: Sendable, Hashable {
    package var channel: String
    package var live: Int
    package var retired: Int
}

/// Counts for metrics and for the doctor.
extension PushOutbox {
    /// Returns what waits in each of the lanes.
    ///
    /// - Parameter limit: The count of a lane ends here, so that a scrape costs little.
    package func backlog(of channels: [String], upTo limit: Int) async throws -> [PushBacklog] {
        try await store.snapshot { session in
            try channels.map { channel in
                let waiting = try session.first(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries
                    WHERE channel = $1 AND state < 2 LIMIT $2) AS waiting
                    """, [.text(channel), .count(limit)])
                let due = try session.first(
                    """
                    SELECT due FROM gateway_push_deliveries WHERE channel = $1 AND state < 2
                    ORDER BY due, id LIMIT 1
                    """, [.text(channel)])
                return PushBacklog(channel: channel, waiting: waiting?.count(0) ?? 0, firstDue: due?.integer(0))
            }
        }
    }

    /// Returns when the newest delivery was stored, in milliseconds since 1970; nil without deliveries.
    package func newestDelivery() async throws -> Int64? {
        try await store.rows("SELECT created_at FROM gateway_push_deliveries ORDER BY id DESC LIMIT 1", [])
            .first?.integer(0)
    }
}

extension PushDeviceStore {
    /// Returns the number of devices of each channel, without addresses of actions.
    package func counts() async throws -> [PushDeviceCount] {
        try await store.rows(
            """
            SELECT channel, count(*) FILTER (WHERE retired IS NULL), count(*) FILTER (WHERE retired IS NOT NULL)
            FROM gateway_push_devices WHERE is_hidden = 0 GROUP BY channel ORDER BY channel LIMIT 100
            """, []
        ).compactMap { row in
            row.text(0).map { PushDeviceCount(channel: $0, live: row.count(1), retired: row.count(2)) }
        }
    }
}
