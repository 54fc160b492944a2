package import Evaluation
import Foundation
package import Inference
package import Retrieval
import Text

/// A way of searching to measure.
package struct RetrievalSetting: Sendable {
    package var name: String
    package var mode: RetrievalMode
    /// The fusion; nil for the default.
    package var fusion: FusionMethod?
    /// The keyword scorer; nil for the default.
    package var scorer: KeywordScorer?
    /// What the best documents add to a hybrid query; nil for nothing.
    package var feedback: Feedback?
    /// What reorders the best documents; nil for nothing.
    package var reranker: Reranker?

    package init(
        name: String, mode: RetrievalMode, fusion: FusionMethod? = nil, scorer: KeywordScorer? = nil,
        feedback: Feedback? = .standard, reranker: Reranker? = nil
    ) {
        self.reranker = reranker
        self.feedback = feedback
        self.name = name
        self.mode = mode
        self.fusion = fusion
        self.scorer = scorer
    }
}

/// An indexed collection with its query vectors. It uses the same index as the server.
package struct EvaluationSubject: Sendable {
    package let collection: EvaluationCollection
    /// Remarks for the report.
    package private(set) var notes: [String]
    private let index: HybridIndex
    /// The documents' ids, by their id in the index.
    private let documentIDs: [String]
    private let queryVectors: [String: [Float]]

    /// The number of documents.
    package var documentCount: Int { documentIDs.count }

    /// The vectors of a collection.
    package struct Vectors: Sendable {
        package var dimensions: Int
        /// By document: the vectors of its passages, one after another, and the number of passages.
        package var documents: [String: (values: [Float], passages: Int)]
        package var queries: [String: [Float]]

        package init(
            dimensions: Int, documents: [String: (values: [Float], passages: Int)], queries: [String: [Float]]
        ) {
            self.dimensions = dimensions
            self.documents = documents
            self.queries = queries
        }

        /// Takes ready vectors.
        ///
        /// - Throws: `EvaluationError` when the files are wrong.
        package init(_ files: ReadyVectorFiles) throws {
            let (documents, queries) = try files.load()
            self.init(
                dimensions: documents.dimensions,
                documents: documents.rowsByID().mapValues { (Array(documents.row($0)), 1) },
                queries: queries.rowsByID().mapValues { Array(queries.row($0)) })
        }
    }

    /// Indexes a collection.
    ///
    /// - Parameters:
    ///   - vectors: Nil when only keywords are measured.
    ///   - progress: Called with the number of indexed documents and of all.
    /// - Throws: `EvaluationError`, `CancellationError`.
    package init(
        _ collection: EvaluationCollection, vectors: Vectors?, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws {
        self.collection = collection
        notes = collection.warnings
        documentIDs = collection.documents.map(\.id)
        queryVectors = vectors?.queries ?? [:]
        index = HybridIndex(dimensions: vectors?.dimensions ?? 1)
        var missing = 0
        for start in stride(from: 0, to: documentIDs.count, by: 1000) {
            try Task.checkCancellation()
            await Task.yield()
            var update = IndexUpdate()
            for number in start..<min(documentIDs.count, start + 1000) {
                let document = collection.documents[number]
                update.documents.append(
                    RetrievalDocument(id: Int64(number), title: document.title, text: document.text))
                if let (values, passages) = vectors?.documents[document.id] {
                    update.vectors.append(VectorEntry(id: Int64(number), values: values, passages: passages))
                } else {
                    missing += 1
                }
            }
            do {
                try index.apply(update)
            } catch {
                throw EvaluationError("the collection cannot be indexed: \(error.message)")
            }
            progress(start + update.documents.count, documentIDs.count)
        }
        guard vectors != nil else { return }
        if missing > 0 { notes.append("\(missing) documents have no vector; only keywords find them") }
        let unvectored = collection.judgedQueries.count { queryVectors[$0.id] == nil }
        if unvectored > 0 {
            notes.append("\(unvectored) judged queries have no vector and count 0 where one is needed")
        }
    }

    /// Runs all judged queries, one after another.
    ///
    /// - Parameter progress: Called with the number of answered queries and of all.
    /// - Returns: The rankings, the milliseconds of each search without embedding but with reranking, and for a setting with a
    ///   reranker by query why it gave no order.
    package func run(
        _ setting: RetrievalSetting, depth: Int, progress: (_ done: Int, _ total: Int) -> Void
    ) async throws -> (run: RankedRun, milliseconds: [Double], unranked: [String: String]) {
        var rankings: [String: [ScoredDocument]] = [:]
        var times: [Double] = []
        var unranked: [String: String] = [:]
        let queries = collection.judgedQueries
        for (number, query) in queries.enumerated() {
            try Task.checkCancellation()
            var request = HybridQuery(text: query.text, mode: setting.mode, limit: depth)
            if let fusion = setting.fusion { request.fusion = fusion }
            if let scorer = setting.scorer { request.scorer = scorer }
            request.feedback = setting.feedback
            if setting.mode != .keyword {
                guard let vector = queryVectors[query.id] else { continue }
                request.vector = vector
            }
            let started = ContinuousClock.now
            let result = try await index.search(request)
            var ranking = result.hits.map { ScoredDocument(id: documentIDs[Int($0.id)], score: $0.score) }
            if let reranker = setting.reranker {
                let order = try await order(of: result.hits, for: query.text, by: reranker)
                unranked[query.id] = order.reason
                ranking = order.places.enumerated().map { place, before in
                    ScoredDocument(id: ranking[before].id, score: Double(ranking.count - place))
                }
            }
            times.append((ContinuousClock.now - started) / .milliseconds(1))
            rankings[query.id] = ranking
            progress(number + 1, queries.count)
        }
        return (RankedRun(name: setting.name, rankings: rankings), times, unranked)
    }

    /// The places of hits after reranking the first of them, or their own with the reason.
    private func order(
        of hits: [Hit], for query: String, by reranker: Reranker
    ) async throws -> (places: [Int], reason: String?) {
        let texts = hits.prefix(reranker.options.candidates).map { text(of: $0, most: reranker.options.textBytes) }
        guard texts.count > 1 else { return (Array(hits.indices), nil) }
        let outcome = try await reranker.score(query, texts, for: AdmissionCaller("evaluation"))
        let rest = [Double?](repeating: nil, count: hits.count - texts.count)
        return (RerankOrder.places(by: outcome.scores + rest), outcome.reason)
    }

    /// What the reranker reads of a document: its title, and the best passage of a long one.
    private func text(of hit: Hit, most: Int) -> String {
        let document = collection.documents[Int(hit.id)]
        var text = document.text
        if text.utf8.count > Chunker.maxBytes, let number = hit.passage {
            let passages = Chunker.passages(title: "", content: text)
            if passages.indices.contains(number) { text = passages[number].text }
        }
        return PassageCutter.beginning(of: text, under: document.title, most: most)
    }
}
