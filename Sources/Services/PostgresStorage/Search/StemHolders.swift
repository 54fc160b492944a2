import Logging
import Retrieval
import Synchronization

/// How many notes hold a stem: known to this gateway, known to the database, or counted.
///
/// Counting a common stem takes long, and a weight changes little when notes are added. So counts are kept in memory, and those
/// that took long in the database, for other gateways and for the next start.
struct StemHolders {
    /// Stems with fewer holders are counted anew after a start.
    static let leastKept = 5000
    /// The maximum number of stems in the database.
    static let mostKept = 200_000

    let store: PostgresStore
    /// All notes.
    let documents: Int
    /// A stem that more notes hold gets 0.
    let most: Int

    /// The number of notes that hold each stem.
    ///
    /// - Parameter runs: The runs of the vocabulary that hold a stem.
    func counts(of runs: [String: [RunVocabulary.Run]]) async throws -> [String: Int] {
        var counts = store.holders.counts(of: runs.keys, documents: documents)
        var missing = runs.keys.filter { counts[$0] == nil }.sorted()
        guard !missing.isEmpty else { return counts }
        let kept = try await kept(missing)
        missing.removeAll { kept[$0] != nil }
        let fresh = missing.isEmpty ? [:] : try await count(missing, runs)
        store.holders.add(kept.merging(fresh) { $1 }, documents: documents)
        counts.merge(kept) { $1 }
        counts.merge(fresh) { $1 }
        try await keep(fresh)
        return counts
    }

    /// Counts that a gateway stored, while they are good.
    private func kept(_ stems: [String]) async throws -> [String: Int] {
        let rows = try await store.rows(
            """
            SELECT stem, holders FROM stem_holders WHERE md5(stem) IN (SELECT md5(s) FROM unnest($1::text[]) AS u (s))
                AND abs(documents - $2) <= $3::float8 * $2 AND most = $4
            """,
            [.texts(stems), .integer(Int64(documents)), .double(HolderCache.drift), .integer(Int64(most))])
        var found: [String: Int] = [:]
        for row in rows.indices {
            if let stem = rows.text(row, 0), let count = rows.integer(row, 1) { found[stem] = Int(clamping: count) }
        }
        return found
    }

    private func count(_ stems: [String], _ runs: [String: [RunVocabulary.Run]]) async throws -> [String: Int] {
        var (places, ids) = ([Int64](), [Int64]())
        for (place, stem) in stems.enumerated() {
            for run in runs[stem] ?? [] {
                places.append(Int64(place))
                ids.append(Int64(run.id))
            }
        }
        let rows = try await store.rows(
            """
            SELECT s.place, (
                SELECT count(*) FROM (SELECT 1 FROM note_words w WHERE w.runs && s.ids LIMIT \(most + 1)) AS k
            ) FROM (
                SELECT place, array_agg(id::integer) AS ids FROM unnest($1::bigint[], $2::bigint[]) AS u (place, id)
                GROUP BY place
            ) AS s
            """, [.integers(places), .integers(ids)])
        var counts: [String: Int] = [:]
        for row in rows.indices {
            guard let place = rows.integer(row, 0), stems.indices.contains(Int(clamping: place)) else { continue }
            let count = Int(clamping: rows.integer(row, 1) ?? 0)
            counts[stems[Int(clamping: place)]] = count > most ? 0 : count
        }
        return counts
    }

    /// Stores counts that took long. A failure costs only time.
    private func keep(_ counts: [String: Int]) async throws {
        let slow = counts.filter { $0.value == 0 || $0.value >= Self.leastKept }.sorted { $0.key < $1.key }
        guard !slow.isEmpty else { return }
        do {
            try await store.write { connection in
                try await connection.run(
                    """
                    INSERT INTO stem_holders (stem, holders, documents, most)
                    SELECT s, h, $3, $4 FROM unnest($1::text[], $2::bigint[]) AS u (s, h)
                    ON CONFLICT (md5(stem)) DO UPDATE SET holders = excluded.holders, documents = excluded.documents,
                        most = excluded.most
                    """,
                    [
                        .texts(slow.map(\.key)), .integers(slow.map { Int64($0.value) }), .integer(Int64(documents)),
                        .integer(Int64(most)),
                    ])
            }
        } catch let error as PostgresError {
            store.logger.debug("counts of words are not stored", metadata: ["error": "\(error)"])
        }
    }
}

/// How many notes hold a stem. Counting common ones takes long, and a weight changes little when notes are added.
final class HolderCache: Sendable {
    /// The maximum number of stems; the cache starts anew beyond.
    static let limit = 50_000
    /// The share of the notes that may have come or gone since a stem was counted.
    static let drift = 0.01

    private let known = Mutex<[String: (count: Int, documents: Int)]>([:])

    func counts(of stems: some Sequence<String>, documents: Int) -> [String: Int] {
        known.withLock { known in
            stems.reduce(into: [:]) { found, stem in
                guard let one = known[stem],
                    Double(abs(one.documents - documents)) <= Self.drift * Double(documents)
                else { return }
                found[stem] = one.count
            }
        }
    }

    func add(_ counts: [String: Int], documents: Int) {
        known.withLock { known in
            if known.count + counts.count > Self.limit { known.removeAll() }
            for (stem, count) in counts { known[stem] = (count, documents) }
        }
    }
}
