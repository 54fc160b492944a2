import GRDB

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
        try await database.read { database in
            try channels.map { channel in
                PushBacklog(
                    channel: channel,
                    waiting: try Scalar.count(
                        database,
                        sql: """
                            SELECT count(*) FROM (SELECT 1 FROM gateway_push_deliveries
                            WHERE channel = ? AND state < 2 LIMIT ?)
                            """, arguments: [channel, limit]) ?? 0,
                    firstDue: try Scalar.integer(
                        database,
                        sql: """
                            SELECT due FROM gateway_push_deliveries WHERE channel = ? AND state < 2
                            ORDER BY due, id LIMIT 1
                            """, arguments: [channel]))
            }
        }
    }

    /// Returns when the newest delivery was stored, in milliseconds since 1970; nil without deliveries.
    package func newestDelivery() async throws -> Int64? {
        try await database.read {
            try Scalar.integer(
                $0, sql: "SELECT created_at FROM gateway_push_deliveries ORDER BY id DESC LIMIT 1")
        }
    }
}

extension PushDeviceStore {
    /// Returns the number of devices of each channel, without addresses of actions.
    package func counts() async throws -> [PushDeviceCount] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT channel, sum(retired IS NULL) AS live, sum(retired IS NOT NULL) AS retired
                    FROM gateway_push_devices WHERE is_hidden = 0 GROUP BY channel ORDER BY channel LIMIT 100
                    """)
            var counts: [PushDeviceCount] = []
            while let row = try rows.next() {
                guard let channel = row.text("channel") else { continue }
                counts.append(PushDeviceCount(channel: channel, live: row.count("live"), retired: row.count("retired")))
            }
            return counts
        }
    }
}
