import Access
import Concurrency
package import GatewayAPI
import Retrieval
import Storage

extension NoteSearch {
    /// Returns the notes nearest to a note, by stored vectors.
    ///
    /// - Parameter query: ``SearchQuery/nearest(limit:account:)``.
    /// - Returns: nil when the note does not exist.
    /// - Throws: ``StorageError``, ``RetrievalError``.
    package func related(to id: Int64, _ query: SearchQuery) async throws -> RelatedResponse? {
        try await withIntactIndex { try await nearest(to: id, query) }
    }

    private func nearest(to id: Int64, _ query: SearchQuery) async throws -> RelatedResponse? {
        guard try await !source.load([id]).isEmpty else { return nil }
        let live = try await source.view()
        guard let vector = try await live.vector(id) else {
            return RelatedResponse(
                noteID: id, results: [], reason: "the note has not been embedded yet; run `selene backfill`")
        }
        // One extra, because the note is nearest to itself.
        var search = query.index
        search.vector = vector
        search.limit += 1
        let result = try await searches.run(query.account.name) { [search] in try await live.search(search) }
        let hits = result.hits.filter { $0.id != id }.prefix(query.index.limit)
        let notes = try await source.load(hits.map(\.id))
        let found = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
        let bytes = notes.reduce(0) { $0 + $1.content.utf8.count }
        let results = try await LargeWork.shared.run(over: bytes, for: query.account.name) {
            hits.compactMap { hit in
                found[hit.id].map {
                    RetrievedNote(
                        note: $0, score: hit.score, passage: Self.passage(of: hit, in: $0, live.space))
                }
            }
        }
        return RelatedResponse(noteID: id, results: results)
    }
}
