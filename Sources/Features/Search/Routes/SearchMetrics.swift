package import Access
package import GatewayAPI
import Retrieval
package import Server
import Storage

/// The metrics of the index.
package struct SearchMetrics: Sendable {
    private let retrieval: RetrievalService

    package init(retrieval: RetrievalService) { self.retrieval = retrieval }

    /// The admission of searches of the index.
    package var searches: KeyConcurrencyLimiter { retrieval.search.searches }

    /// Writes all metrics; none of the index before it is opened.
    package func write(to text: inout PrometheusText) async {
        if let reranks = retrieval.search.rerank.figures {
            text.family("selene_reranks_total", .counter, "Calls of the reranker, by result.")
            for (result, count) in reranks.calls { text.sample("selene_reranks_total", [("result", result)], count) }
            text.single(
                "selene_rerank_paused", .gauge, "1 while the reranker is paused after failures.",
                reranks.isPaused ? 1 : 0)
        }
        guard let live = await retrieval.index.follower.present else { return }
        let now = live.index.statistics
        text.single("selene_index_notes", .gauge, "Notes in the index.", now.documents)
        text.single("selene_index_embedded_notes", .gauge, "Notes with a vector.", now.vectors)
        text.single("selene_index_vectors", .gauge, "Vectors, one for each passage.", now.rows)
        text.family("selene_index_bytes", .gauge, "Bytes of the index, by part.")
        for (part, bytes) in [("vectors", now.matrixBytes), ("codes", now.codeBytes), ("text", now.textBytes)] {
            text.sample("selene_index_bytes", [("part", part)], bytes)
        }
    }

    /// The same figures for `GET /api/admin/stats`; nil before the index is opened.
    package func indexState() async -> StatsResponse.Index? {
        guard let live = await retrieval.index.follower.present else { return nil }
        let now = live.index.statistics
        return .init(
            notes: now.documents, embeddedNotes: now.vectors, vectors: now.rows,
            vectorBytes: now.matrixBytes + now.codeBytes, textBytes: now.textBytes, model: live.space?.space.model)
    }
}
