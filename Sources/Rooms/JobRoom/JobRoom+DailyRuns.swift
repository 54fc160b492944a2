package import Database

/// The days on which workflows ran to their end, over all processes on the store.
extension JobRoom {
    /// The jobs themselves stay where they are.
    package static let tables = [RoomTable("gateway_daily_runs", key: "kind", "day")]

    /// The number of days to keep for each kind.
    static let maxDailyRuns = 400

    /// Whether a workflow ran on a day.
    package func ran(_ kind: String, on day: String) async throws -> Bool {
        try await !store.rows(
            "SELECT 1 FROM gateway_daily_runs WHERE kind = $1 AND day = $2", [.text(kind), .text(day)]
        ).isEmpty
    }

    /// Keeps that a workflow ran on a day.
    ///
    /// - Parameter time: When it ended, in seconds since 1970.
    package func keepRun(_ kind: String, on day: String, at time: Int64) async throws {
        try await store.transaction { session in
            try session.run(
                """
                INSERT INTO gateway_daily_runs (kind, day, finished_at) VALUES ($1, $2, $3)
                ON CONFLICT (kind, day) DO NOTHING
                """, [.text(kind), .text(day), .integer(time)])
            try session.run(
                """
                DELETE FROM gateway_daily_runs WHERE kind = $1 AND day NOT IN
                (SELECT day FROM gateway_daily_runs WHERE kind = $1 ORDER BY day DESC LIMIT $2)
                """, [.text(kind), .count(Self.maxDailyRuns)])
        }
    }
}
