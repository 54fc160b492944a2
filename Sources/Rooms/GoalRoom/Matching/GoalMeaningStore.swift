import Database
package import GatewayAPI
import Goals

/// The space that meanings are compared in.
package struct GoalSpace: Sendable, Hashable {
    package var id: Int64
    /// The length of the vectors.
    package var dimensions: Int

    package init(id: Int64, dimensions: Int) { (self.id, self.dimensions) = (id, dimensions) }
}

/// The embedding space that matching compares meanings in, and its vectors.
package struct GoalMeaningStore: Sendable {
    let tables: GoalTables

    /// A text that has no vector yet.
    package struct Missing: Sendable, Hashable {
        package let hash: [UInt8]
        package let text: String
    }

    /// Compares meanings in a space from now on, or not at all. After a change everything is matched again, and vectors of
    /// other spaces are deleted.
    package func use(_ space: GoalSpace?) async throws {
        let id = space?.id
        guard try await tables.store.snapshot({ try Self.space($0) }) != id else { return }
        try await tables.store.transaction { session in
            try session.lock(GoalTables.lock)
            try session.run(
                """
                INSERT INTO gateway_goal_meaning (id, space_id, dimensions) VALUES (1, $1, $2)
                ON CONFLICT (id) DO UPDATE SET space_id = $1, dimensions = $2
                """, [.integer(id), .count(space?.dimensions)])
            try session.run("DELETE FROM gateway_goal_vectors WHERE $1 IS NULL OR space_id <> $1", [.integer(id)])
            try session.run("DELETE FROM gateway_goal_texts")
            try GoalMatching.markEverything(session)
        }
    }

    private static func space(_ session: any SQLSession) throws -> Int64? {
        try session.first("SELECT space_id FROM gateway_goal_meaning WHERE id = 1")?.integer(0)
    }

    /// Returns texts that wait for a vector.
    package func missing(limit: Int) async throws -> [Missing] {
        try await tables.store.rows(
            "SELECT hash, min(text) FROM gateway_goal_texts GROUP BY hash LIMIT $1", [.count(limit)]
        ).compactMap { row in row.bytes(0).map { Missing(hash: $0, text: row.text(1) ?? "") } }
    }

    /// Stores vectors; nil for a text that the model refuses. What waited for them is matched again.
    package func store(_ found: [(hash: [UInt8], vector: [Float]?)], in space: GoalSpace) async throws {
        try await tables.store.relaxedTransaction { session in
            try session.lock(GoalTables.lock)
            guard try Self.space(session) == space.id else { return }
            for (hash, vector) in found {
                try session.run(
                    """
                    INSERT INTO gateway_goal_vectors (space_id, hash, vector) VALUES ($1, $2, $3)
                    ON CONFLICT (space_id, hash) DO UPDATE SET vector = $3
                    """, [.integer(space.id), .bytes(hash), .bytes(GoalVector.encode(Self.normalized(vector ?? [])))])
                try session.run(
                    """
                    INSERT INTO gateway_goal_dirty (kind, id) SELECT t.kind, t.id FROM gateway_goal_texts t
                    WHERE t.hash = $1 AND NOT EXISTS
                    (SELECT 1 FROM gateway_goal_dirty d WHERE d.kind = t.kind AND d.id = t.id)
                    """, [.bytes(hash)])
                try session.run("DELETE FROM gateway_goal_texts WHERE hash = $1", [.bytes(hash)])
            }
        }
    }

    /// How alike actions and goals are; nil where no meanings were compared.
    package func similarities(of pairs: [(action: ActionRecord, goal: GoalRecord)]) async throws -> [Double?] {
        try await tables.store.snapshot { session in
            guard let meanings = try GoalMeanings(session) else { return pairs.map { _ in nil } }
            try meanings.prepare("action", pairs.map { ($0.action.id, $0.action.meaning) }, queues: false)
            try meanings.prepare("goal", pairs.map { ($0.goal.id, $0.goal.meaning) }, queues: false)
            return pairs.map { pair in
                guard let action = EntityID(pair.action.id), let goal = EntityID(pair.goal.id) else { return nil }
                return meanings.similarity(action, goal)
            }
        }
    }

    private static func normalized(_ vector: [Float]) -> [Float] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return length.isFinite && length > 0 ? vector.map { $0 / length } : []
    }
}
