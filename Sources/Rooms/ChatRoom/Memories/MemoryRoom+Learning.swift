import Database
import GatewayAPI

/// Follows the runs that ended, each once over all processes on the store.
///
/// Runs whose numbers are above the cursor were not read, and neither were those that wait, which had not ended when the cursor
/// passed them.
extension MemoryRoom {
    /// The most memories that are compared with a new fact, newest first.
    static let maxKnown = 5000
    /// The most memories that the gateway keeps by itself; it adds no further ones.
    static let maxLearned = 5000

    /// A `SELECT` of the numbers and ids of runs that wait to be read.
    private static let unread = """
        SELECT r.number, r.id FROM gateway_chat_runs r
        WHERE r.owner IS NULL AND r.number > coalesce((SELECT number FROM gateway_memory_cursor WHERE id = 1), 0)
        UNION ALL SELECT r.number, r.id FROM gateway_memory_waiting w JOIN gateway_chat_runs r ON r.number = w.number
        WHERE r.owner IS NULL
        """

    /// Whether runs wait to be read.
    package func hasUnreadRuns() async throws -> Bool { try await !store.rows("\(Self.unread) LIMIT 1", []).isEmpty }

    /// Counts the runs that wait to be read.
    package func unreadRunCount() async throws -> Int {
        try await store.rows("SELECT count(*) FROM (\(Self.unread)) AS u", []).first?.count(0) ?? 0
    }

    /// Returns runs that have ended and were not read, oldest first.
    package func unreadRuns(limit: Int) async throws -> [UnreadRun] {
        try await store.snapshot { session in
            try session.rows("\(Self.unread) ORDER BY 1 LIMIT $1", [.count(limit)]).compactMap { row in
                guard let number = row.integer(0) else { return nil }
                let stored = try row.text(1).flatMap { try AnswerRoom.find($0, session) }
                // A row that cannot be read says nothing, and is passed.
                return UnreadRun(
                    number: number, id: stored?.id ?? "", session: stored?.session ?? "",
                    question: stored?.question ?? "", request: stored?.request ?? "{}", model: stored?.model ?? "",
                    message: stored?.userMessage, notes: stored?.record.passages.compactMap(\.note) ?? [])
            }
        }
    }

    /// Keeps the facts of a run, and that it was read, in one transaction. A run that was read before changes nothing.
    ///
    /// - Parameter decide: What becomes of the fact with a number among the known memories, newest first. It must be quick.
    /// - Returns: What changed; nil when the run was read before.
    package func learn(
        _ facts: [LearnedFact], from run: UnreadRun,
        decide: @escaping @Sendable (_ fact: Int, _ known: [KnownMemory]) -> MemoryDecision
    ) async throws -> LearnedCounts? {
        // Runs without facts change no memory, so a search need not look.
        guard !facts.isEmpty else {
            return try await store.transaction { try Self.take(run.number, $0) ? LearnedCounts() : nil }
        }
        return try await change { rows in
            guard try Self.take(run.number, rows.session) else { return nil }
            let isThere =
                try rows.session.first(
                    "SELECT 1 FROM gateway_chat_runs WHERE id = $1 AND number = $2",
                    [.text(run.id), .integer(run.number)]) != nil
            guard isThere else { return LearnedCounts() }
            var learning = try MemoryLearning(run, rows)
            for (index, fact) in facts.enumerated() { try learning.keep(fact, decide(index, learning.known)) }
            return learning.counts
        }
    }

    /// Takes a run, so that no other process reads it. Returns false when it was read.
    private static func take(_ number: Int64, _ session: any SQLSession) throws -> Bool {
        try session.lock("gateway_memory_cursor")
        let cursor = try session.first("SELECT number FROM gateway_memory_cursor WHERE id = 1")?.integer(0) ?? 0
        if number <= cursor {
            return try session.run("DELETE FROM gateway_memory_waiting WHERE number = $1", [.integer(number)]) > 0
        }
        try pass(number, session, cursor: cursor)
        try session.run(
            """
            DELETE FROM gateway_memory_waiting
            WHERE NOT EXISTS (SELECT 1 FROM gateway_chat_runs r WHERE r.number = gateway_memory_waiting.number)
            """)
        return true
    }

    /// Moves the cursor to a run. Those before it that go on are read when they end.
    private static func pass(_ number: Int64, _ session: any SQLSession, cursor: Int64) throws {
        try session.run(
            """
            INSERT INTO gateway_memory_waiting (number) SELECT number FROM gateway_chat_runs
            WHERE number > $1 AND number < $2 ON CONFLICT (number) DO NOTHING
            """, [.integer(cursor), .integer(number)])
        try session.run(
            """
            INSERT INTO gateway_memory_cursor (id, number) VALUES (1, $1)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number
            """, [.integer(number)])
    }

    // MARK: Subjects

    /// Returns memories whose subject was not read, by id.
    package func unkeyed(after id: Int64, limit: Int) async throws -> [(id: Int64, content: String)] {
        try await read { rows in
            try rows.all(
                "m.id > $1 AND (d.memory_id IS NULL OR d.is_read = 0) ORDER BY m.id LIMIT $2",
                [.integer(id), .count(limit)]
            ).map { ($0.id, $0.content) }
        }
    }

    /// Keeps the subjects of memories.
    package func key(
        _ read: [(id: Int64, content: String, fact: (kind: String, key: String, value: String, isSingle: Bool)?)]
    ) async throws {
        try await store.relaxedTransaction { [store] session in
            try store.memoryTables(in: session).lock()
            for one in read {
                func kept(_ column: String, else other: String) -> String {
                    "\(column) = CASE WHEN d.keyed = excluded.keyed THEN d.\(column) ELSE \(other) END"
                }
                try session.run(
                    """
                    INSERT INTO gateway_memory_details AS d (memory_id, keyed) VALUES ($1, $2)
                    ON CONFLICT (memory_id) DO UPDATE SET \(kept("state", else: "'active'")),
                        \(kept("is_pinned", else: "0")), \(kept("origin", else: "'other'")),
                        \(kept("run_id", else: "NULL")), \(kept("reason", else: "NULL")),
                        \(kept("superseded_by", else: "NULL")), keyed = excluded.keyed
                    """, [.integer(one.id), .text(one.content)])
                try session.run(
                    """
                    UPDATE gateway_memory_details SET is_read = 1, kind = $1, key = $2, value = $3, is_single = $4
                    WHERE memory_id = $5
                    """,
                    [
                        .text(one.fact?.kind), .text(one.fact?.key), .text(one.fact?.value ?? ""),
                        .integer(one.fact?.isSingle == true ? 1 : 0), .integer(one.id),
                    ])
            }
        }
    }
}
