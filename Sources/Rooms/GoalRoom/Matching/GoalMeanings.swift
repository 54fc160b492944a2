import Cryptography
import Database
import Foundation
import GatewayAPI
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
    private static let hashBytes = 32

    private let session: any SQLSession
    private let space: Int64
    private let dimensions: Int
    /// Normalized vectors by hash; nil for texts that have none.
    private var vectors: [[UInt8]: [Float]?] = [:]
    private var hashes: [EntityID: [UInt8]] = [:]
    private var known: [[UInt8]: [[UInt8]: Double]] = [:]

    /// Prepares a step. Nil without a space: then no meanings are compared.
    init?(_ session: any SQLSession) throws {
        let row = try session.first("SELECT space_id, dimensions FROM gateway_goal_meaning WHERE id = 1")
        guard let space = row?.integer(0), let dimensions = row?.count(1), dimensions > 0 else { return nil }
        self.session = session
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
            text.map { (id: id, text: $0, hash: Array(SHA256.hash(data: Data($0.utf8)))) }
        }
        let unknown = Set(wanted.map(\.hash)).subtracting(vectors.keys)
        if !unknown.isEmpty {
            for hash in unknown { vectors[hash] = .some(nil) }
            // The hashes in one parameter, so that the statement is the same for any number of them.
            let starts = (0..<unknown.count).map { Int64($0 * Self.hashBytes + 1) }
            let rows = try session.rows(
                """
                SELECT hash, vector FROM gateway_goal_vectors WHERE space_id = $1 AND hash IN
                    (SELECT substr($2, CAST(value AS integer), \(Self.hashBytes))
                    FROM \(session.dialect.numbers("$3")) AS starts)
                """, [.integer(space), .bytes(Array(unknown.joined())), .numbers(starts)])
            for row in rows {
                guard let hash = row.bytes(0) else { continue }
                // A text that the model refuses has an empty vector.
                vectors[hash] = .some(row.bytes(1).flatMap { GoalVector.decode($0, dimensions: dimensions) } ?? [])
            }
        }
        for (id, text, hash) in wanted {
            if let id = EntityID(id) { hashes[id] = hash }
            guard queues else { continue }
            if vectors[hash].flatMap({ $0 }) == nil {
                try session.run(
                    """
                    INSERT INTO gateway_goal_texts (kind, id, hash, text) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (kind, id) DO UPDATE SET hash = $3, text = $4
                    """, [.text(kind), .text(id), .bytes(hash), .text(text)])
            } else {
                try session.run(
                    "DELETE FROM gateway_goal_texts WHERE kind = $1 AND id = $2", [.text(kind), .text(id)])
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

extension ActionRecord {
    /// The text whose meaning is compared.
    var meaning: String? { GoalMeanings.text(title, description) }
}

extension GoalRecord {
    /// The text whose meaning is compared.
    var meaning: String? { GoalMeanings.text(title, description) }
}
