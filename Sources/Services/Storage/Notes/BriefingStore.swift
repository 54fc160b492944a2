import GRDB

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
package struct BriefingStore: Sendable {
    let database: GatewayDatabase

    /// The number of briefings to keep; older ones are deleted.
    static let maxBriefings = 400

    /// Returns the briefing of a day; nil when there is none.
    package func find(_ day: String) async throws -> StoredBriefing? {
        try await database.read { try Self.find($0, day) }
    }

    /// Stores a briefing.
    ///
    /// - Parameter replacing: Whether it replaces the stored briefing of its day, which otherwise stays.
    /// - Returns: The stored briefing of the day.
    package func keep(_ briefing: StoredBriefing, replacing: Bool) async throws -> StoredBriefing {
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_briefings (day, zone, facts, made_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT (day) DO UPDATE SET zone = excluded.zone, facts = excluded.facts,
                    made_at = excluded.made_at WHERE ?
                    """, arguments: [briefing.day, briefing.zone, briefing.facts, briefing.madeAt, replacing])
            try database.execute(
                sql: """
                    DELETE FROM gateway_briefings WHERE day NOT IN
                    (SELECT day FROM gateway_briefings ORDER BY day DESC LIMIT ?)
                    """, arguments: [Self.maxBriefings])
            return try Self.find(database, briefing.day) ?? briefing
        }
    }

    private static func find(_ database: Database, _ day: String) throws -> StoredBriefing? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT \(ValueLimit.bounded("zone", 256)) AS zone, \(ValueLimit.bounded("facts", 1 << 20)) AS facts, made_at
                FROM gateway_briefings WHERE day = ?
                """, arguments: [day]
        ).flatMap { row in
            guard let zone = row.text("zone"), let facts = row.text("facts") else { return nil }
            return StoredBriefing(day: day, zone: zone, facts: facts, madeAt: row.integer("made_at") ?? 0)
        }
    }
}
