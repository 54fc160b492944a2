import Access
public import GatewayAPI
import Retrieval
import Storage

extension RetrievalService {
    /// The notes nearest to one, by stored vectors.
    ///
    /// - Returns: nil when there is no such note.
    /// - Throws: ``StorageError``, ``RetrievalError``.
    public func related(to id: Int64, limit: Int, identity: String = "local") async throws -> RelatedResponse? {
        try await withIntactIndex { try await nearest(to: id, limit: limit, identity: identity) }
    }

    private func nearest(to id: Int64, limit: Int, identity: String) async throws -> RelatedResponse? {
        guard try await !database.notes.find(ids: [id]).isEmpty else { return nil }
        let live = try await follower.current()
        guard let vector = live.index.vector(of: id) else {
            guard live.index.isIntact else {
                throw RetrievalError(.damaged, "the index file was cut or overwritten while it was in use")
            }
            return RelatedResponse(
                noteID: id, results: [], reason: "the note has not been embedded yet; run `selene backfill`")
        }
        // One more, since the note is nearest to itself.
        let query = HybridQuery(text: "", vector: vector, mode: .vector, limit: limit + 1)
        let result = try await searches.run(identity) { try await live.index.search(query) }
        let hits = result.hits.filter { $0.id != id }.prefix(limit)
        let notes = try await database.notes.find(ids: hits.map(\.id))
        let found = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
        return RelatedResponse(
            noteID: id,
            results: hits.compactMap { hit in
                found[hit.id].map {
                    RetrievedNote(
                        note: $0, score: hit.score, passage: Self.passage(of: hit, in: $0, live.space))
                }
            })
    }
}
