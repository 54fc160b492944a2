import Retrieval
import Storage

/// Feedback of the best notes for notes in the database; see ``RemoteFeedback``.
struct PostgresFeedback {
    let store: PostgresStore
    let space: StoredSpace
    let totals: KeywordAnswer.Totals
    /// A stem that more notes hold adds nothing: counting them takes too long.
    var mostHolders = 100_000

    /// The legs after feedback; nil where it has no part.
    ///
    /// - Parameters:
    ///   - runs: The runs of the vocabulary that the question needed.
    ///   - vocabulary: The vocabulary, where this gateway knows it.
    func second(
        _ query: HybridQuery, _ legs: RemoteLegs, _ answer: KeywordAnswer, runs: [RunVocabulary.Run],
        _ vocabulary: RunVocabulary?
    ) async throws -> RemoteLegs.Second? {
        guard let feedback = RemoteFeedback(query, answer.question, legs) else { return nil }
        async let passages = passages(feedback, legs.vector.hits)
        let stems = feedback.stems(of: try await texts(of: feedback.documents))
        let names = stems.map(\.text)
        let added = if let vocabulary { vocabulary.runs(of: names) } else { try await self.vocabulary(of: names) }
        let holders = try await holders(of: added)
        let chosen = feedback.choose(stems, holders: holders, of: totals.documents)
        var known = Set(runs)
        for stem in chosen.stems { known.formUnion(added[stem] ?? []) }
        var again = KeywordAnswer(chosen.question, vocabulary: known.map { ($0.id, $0.text) })
        again.add(try await documents(feedback.candidates, chosen.question))
        return feedback.legs(
            chosen, after: (legs, answer), passages: try await passages, again: again, totals: totals)
    }

    /// The beginnings of folded texts, in the order of the ids.
    private func texts(of ids: [Int64]) async throws -> [[UInt8]] {
        let rows = try await store.rows(
            """
            SELECT substr(convert_to(w.folded, 'UTF8'), 1, \(RemoteFeedback.textBytes)) FROM note_words w
            WHERE w.note_id = ANY ($1) ORDER BY array_position($1, w.note_id)
            """, [.integers(ids)])
        return rows.indices.map { rows.bytes($0, 0) ?? [] }
    }

    /// The runs of the vocabulary that hold each stem.
    private func vocabulary(of stems: [String]) async throws -> [String: [RunVocabulary.Run]] {
        guard !stems.isEmpty else { return [:] }
        let rows = try await store.rows(
            """
            SELECT s.stem, v.id, v.run FROM unnest($1::text[]) AS s (stem)
            JOIN vocabulary v ON v.stems && ARRAY[s.stem COLLATE "C"]
            """, [.texts(stems)])
        var found: [String: [RunVocabulary.Run]] = [:]
        for row in rows.indices {
            guard let stem = rows.text(row, 0), let id = rows.integer(row, 1), let run = rows.text(row, 2) else {
                continue
            }
            found[stem, default: []].append(RunVocabulary.Run(id: Int32(truncatingIfNeeded: id), text: run))
        }
        return found
    }

    /// The number of notes that hold each stem; 0 for more than ``mostHolders``.
    private func holders(of runs: [String: [RunVocabulary.Run]]) async throws -> [String: Int] {
        try await StemHolders(store: store, documents: totals.documents, most: mostHolders).counts(of: runs)
    }

    /// The words of notes, as ``PostgresSearch`` reads them.
    private func documents(_ ids: [Int64], _ question: KeywordQuestion) async throws -> PostgresRows {
        try await store.rows(
            """
            SELECT w.note_id, w.created, w.words, w.bytes, true, w.marks,
                \(question.phrases.isEmpty ? "NULL" : "w.folded")
            FROM note_words w WHERE w.note_id = ANY ($1)
            """, [.integers(ids)])
    }

    /// The vectors of candidates: of the passage that was found, or of the first ones.
    private func passages(
        _ feedback: RemoteFeedback, _ hits: [VectorLegAnswer.Hit]
    ) async throws -> [Int64: [RemoteFeedback.Passage]] {
        let found = Dictionary(hits.map { ($0.id, $0.passage) }) { first, _ in first }
        let ids = feedback.candidates
        let rows = try await store.rows(
            """
            SELECT v.note_id, v.passage, v.embedding FROM unnest($2::bigint[], $3::bigint[]) AS c (id, passage)
            JOIN vectors v ON v.space_id = $1 AND v.note_id = c.id
                AND (v.passage = c.passage OR c.passage < 0 AND v.passage < \(RemoteFeedback.mostPassages))
            ORDER BY v.note_id, v.passage
            """, [.integer(space.id), .integers(ids), .integers(ids.map { Int64(found[$0] ?? -1) })])
        var passages: [Int64: [RemoteFeedback.Passage]] = [:]
        for row in rows.indices {
            guard let id = rows.integer(row, 0), let vector = rows.vector(row, 2),
                vector.count == space.space.dimensions
            else { continue }
            passages[id, default: []].append(.init(number: Int(rows.integer(row, 1) ?? 0), vector: vector))
        }
        return passages
    }
}
