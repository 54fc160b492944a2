package import Foundation
import GRDB
package import GatewayAPI
import Goals

/// How alike the texts of actions and goals are, for one step of matching.
///
/// The vectors lie in `gateway_goal_vectors`, by space and hash of the text. Texts without one are queued in
/// `gateway_goal_texts`; matching them is repeated once they have one. Everything that decides a match is in the file, so
/// computing all matches again gives the same rows.
final class GoalMeanings {
    /// Cosines up to this one are no likeness: short texts about different things reach it.
    static let floor: Float = 0.6
    /// Characters of a text that are embedded.
    static let maxCharacters = 1000

    private let database: Database
    private let space: SpaceID
    private let dimensions: Int
    /// Normalized vectors by hash; nil for texts that have none.
    private var vectors: [Data: [Float]?] = [:]
    private var hashes: [EntityID: Data] = [:]
    private var known: [Data: [Data: Double]] = [:]

    /// Prepares a step. Nil without a space: then no meanings are compared.
    init?(_ database: Database) throws {
        let row = try Row.fetchOne(database, sql: "SELECT space_id, dimensions FROM gateway_goal_meaning WHERE id = 1")
        guard let space = row?.integer(0), let dimensions = row?.count(1), dimensions > 0 else { return nil }
        self.database = database
        self.space = space
        self.dimensions = dimensions
    }

    /// The text of an action or a goal that is embedded; nil for one without words.
    static func text(_ title: String?, _ description: String?) -> String? {
        let text = [title, description].compactMap { $0?.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { !$0.isEmpty }.joined(separator: "\n")
        return text.isEmpty ? nil : String(text.prefix(maxCharacters))
    }

    /// Looks up the vectors of texts of one kind, `action` or `goal`. With `queues`, texts without one are queued.
    func prepare(_ kind: String, _ texts: [(id: String, text: String?)], queues: Bool) throws {
        let wanted = texts.compactMap { id, text in
            text.map { (id: id, text: $0, hash: ContentHash.of(title: "", content: $0)) }
        }
        let unknown = Set(wanted.map(\.hash)).subtracting(vectors.keys)
        if !unknown.isEmpty {
            for hash in unknown { vectors[hash] = .some(nil) }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT hash, vector FROM gateway_goal_vectors
                    WHERE space_id = ? AND hash IN (\(databaseQuestionMarks(count: unknown.count)))
                    """, arguments: StatementArguments([space.databaseValue] + unknown.map(\.databaseValue)))
            for row in rows {
                guard let hash = row.bytes(0) else { continue }
                // A text that the model refuses has an empty vector.
                vectors[hash] = .some(row.bytes(1).flatMap { VectorBlob.decode($0, dimensions: dimensions) } ?? [])
            }
        }
        for (id, text, hash) in wanted {
            if let id = EntityID(id) { hashes[id] = hash }
            guard queues else { continue }
            if vectors[hash].flatMap({ $0 }) == nil {
                try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO gateway_goal_texts (kind, id, hash, text) VALUES (?, ?, ?, ?)"
                ).execute(arguments: [kind, id, hash, text])
            } else {
                try database.cachedStatement(sql: "DELETE FROM gateway_goal_texts WHERE kind = ? AND id = ?")
                    .execute(arguments: [kind, id])
            }
        }
    }

    /// How alike an action and a goal are: 0 up to a cosine of ``floor``, 1 for the same meaning; nil if one has no vector.
    func similarity(_ action: EntityID, _ goal: EntityID) -> Double? {
        guard let one = hashes[action], let other = hashes[goal] else { return nil }
        if let known = known[one]?[other] { return known }
        guard let a = vectors[one].flatMap({ $0 }), let b = vectors[other].flatMap({ $0 }), a.count == dimensions,
            b.count == dimensions
        else { return nil }
        var cosine: Float = 0
        for index in 0..<dimensions { cosine += a[index] * b[index] }
        let share = Double(min(max((cosine - Self.floor) / (1 - Self.floor), 0), 1))
        known[one, default: [:]][other] = share
        return share
    }
}

/// The embedding space that matching compares meanings in, and its vectors.
package struct GoalMeaningStore: Sendable {
    let tables: GoalTables

    /// A text that has no vector yet.
    package struct Missing: Sendable, Hashable {
        package let hash: Data
        package let text: String
    }

    /// Compares meanings in a space from now on, or not at all. After a change everything is matched again, and vectors of
    /// other spaces are deleted.
    package func use(_ space: StoredSpace?) async throws {
        let id = space?.id
        let sql = "SELECT space_id FROM gateway_goal_meaning WHERE id = 1"
        guard try await tables.database.read({ try Scalar.integer($0, sql: sql) }) != id else { return }
        try await tables.database.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_goal_meaning (id, space_id, dimensions) VALUES (1, ?, ?)",
                arguments: [id, space?.space.dimensions])
            try database.execute(
                sql: "DELETE FROM gateway_goal_vectors WHERE space_id IS NOT ?", arguments: [id])
            try database.execute(
                sql: """
                    DELETE FROM gateway_goal_texts;
                    DELETE FROM gateway_goal_dirty WHERE kind = 'everything';
                    INSERT INTO gateway_goal_dirty (kind) VALUES ('everything');
                    """)
        }
    }

    /// Returns texts that wait for a vector.
    package func missing(limit: Int) async throws -> [Missing] {
        try await tables.database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT hash, text FROM gateway_goal_texts GROUP BY hash LIMIT ?", arguments: [limit]
            ).compactMap { row in row.bytes(0).map { Missing(hash: $0, text: row.text(1) ?? "") } }
        }
    }

    /// Stores vectors; nil for a text that the model refuses. What waited for them is matched again.
    package func store(_ found: [(hash: Data, vector: [Float]?)], in space: StoredSpace) async throws {
        try await tables.database.writeRelaxed { database in
            let sql = "SELECT space_id FROM gateway_goal_meaning WHERE id = 1"
            guard try Scalar.integer(database, sql: sql) == space.id else { return }
            for (hash, vector) in found {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO gateway_goal_vectors (space_id, hash, vector) VALUES (?, ?, ?)",
                    arguments: [space.id, hash, VectorBlob.encode(Self.normalized(vector ?? []))])
                try database.execute(
                    sql: """
                        INSERT INTO gateway_goal_dirty (kind, id) SELECT t.kind, t.id FROM gateway_goal_texts t
                        WHERE t.hash = ?1 AND NOT EXISTS
                        (SELECT 1 FROM gateway_goal_dirty d WHERE d.kind = t.kind AND d.id = t.id)
                        """, arguments: [hash])
                try database.execute(sql: "DELETE FROM gateway_goal_texts WHERE hash = ?", arguments: [hash])
            }
        }
    }

    /// How alike actions and goals are; nil where no meanings were compared.
    package func similarities(of pairs: [(action: ActionRecord, goal: GoalRecord)]) async throws -> [Double?] {
        try await tables.database.read { database in
            guard let meanings = try GoalMeanings(database) else { return pairs.map { _ in nil } }
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

extension ActionRecord {
    /// The text whose meaning is compared.
    var meaning: String? { GoalMeanings.text(title, description) }
}

extension GoalRecord {
    /// The text whose meaning is compared.
    var meaning: String? { GoalMeanings.text(title, description) }
}
