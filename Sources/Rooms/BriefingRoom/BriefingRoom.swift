package import Database

extension SQLStore {
    /// The briefings of days.
    package var briefings: BriefingRoom { BriefingRoom(store: self) }
}

package struct StoredBriefing: Sendable, Hashable {
    /// The person's day, `YYYY-MM-DD`.
    package var day: String
    /// The zone of the day.
    package var zone: String
    /// What the cards are about, as JSON.
    package var facts: String
    /// When it was made, in seconds since 1970.
    package var madeAt: Int64

    /// Creates a briefing to store.
    package init(day: String, zone: String, facts: String, madeAt: Int64) {
        self.day = day
        self.zone = zone
        self.facts = facts
        self.madeAt = madeAt
    }
}

/// Stores briefings, one a day, and finds what they are about.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct BriefingRoom: Sendable {
    let store: any SQLStore

    package static let tables = [RoomTable("gateway_briefings", key: "day", pageSize: 20)]

    package static let migrations = [
        Migration("gateway-50-briefings", only: .postgres) { session in
            let words = session.dialect
            try session.run(
                """
                CREATE TABLE gateway_briefings (
                    day \(words.text) PRIMARY KEY,
                    zone \(words.text) NOT NULL,
                    facts \(words.text) NOT NULL,
                    made_at bigint NOT NULL
                )
                """)
            try session.run("CREATE INDEX gateway_briefings_made ON gateway_briefings (made_at)")
        }
    ]

    /// The number of briefings to keep; older ones are deleted.
    static let maxBriefings = 400

    /// Returns the briefing of a day; nil when there is none.
    package func find(_ day: String) async throws -> StoredBriefing? {
        try await store.snapshot { try Self.find($0, day) }
    }

    /// The days whose briefings were made at a time or later, in seconds since 1970; latest first.
    package func days(madeSince time: Int64, limit: Int) async throws -> [String] {
        try await store.rows(
            """
            SELECT \(store.dialect.bounded("day", 64)) FROM gateway_briefings WHERE made_at >= $1 ORDER BY day DESC LIMIT $2
            """, [.integer(time), .count(limit)]
        ).compactMap { $0.text(0) }
    }

    /// Stores a briefing.
    ///
    /// - Parameter replacing: Whether it replaces the stored briefing of its day, which otherwise stays.
    /// - Returns: The stored briefing of the day.
    package func keep(_ briefing: StoredBriefing, replacing: Bool) async throws -> StoredBriefing {
        try await store.transaction { session in
            try session.run(
                """
                INSERT INTO gateway_briefings (day, zone, facts, made_at) VALUES ($1, $2, $3, $4)
                ON CONFLICT (day) DO UPDATE SET zone = excluded.zone, facts = excluded.facts,
                made_at = excluded.made_at WHERE $5
                """,
                [
                    .text(briefing.day), .text(briefing.zone), .text(briefing.facts), .integer(briefing.madeAt),
                    .bool(replacing),
                ])
            try session.run(
                """
                DELETE FROM gateway_briefings WHERE day NOT IN
                (SELECT day FROM gateway_briefings ORDER BY day DESC LIMIT $1)
                """, [.count(Self.maxBriefings)])
            return try Self.find(session, briefing.day) ?? briefing
        }
    }

    private static func find(_ session: any SQLSession, _ day: String) throws -> StoredBriefing? {
        let words = session.dialect
        let row = try session.first(
            """
            SELECT \(words.bounded("zone", 256)), \(words.bounded("facts", 1 << 20)), made_at FROM gateway_briefings
            WHERE day = $1
            """, [.text(day)])
        guard let row, let zone = row.text(0), let facts = row.text(1) else { return nil }
        return StoredBriefing(day: day, zone: zone, facts: facts, madeAt: row.integer(2) ?? 0)
    }
}
