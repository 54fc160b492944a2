import Evaluation
import Foundation
import Retrieval

/// A way of searching to measure.
struct RetrievalSetting: Sendable {
    var name: String
    var mode: RetrievalMode
    /// The fusion; nil for the default.
    var fusion: FusionMethod?
    /// The keyword scorer; nil for the default.
    var scorer: KeywordScorer?
}

/// An indexed collection with its query vectors. It uses the same index as the server.
struct EvaluationSubject: Sendable {
    let collection: EvaluationCollection
    /// Remarks for the report.
    var notes: [String]
    private let index: HybridIndex
    /// The documents' ids, by their id in the index.
    private let documentIDs: [String]
    private let queryVectors: [String: [Float]]

    /// The number of documents.
    var documentCount: Int { documentIDs.count }

    /// The vectors of a collection.
    struct Vectors: Sendable {
        var dimensions: Int
        /// By document: the vectors of its passages, one after another, and the number of passages.
        var documents: [String: (values: [Float], passages: Int)]
        var queries: [String: [Float]]
    }

    /// Loads and indexes a collection with its vectors.
    static func open(_ options: CollectionOptions) async throws -> EvaluationSubject {
        let folder = URL(filePath: options.collection)
        let collection = try EvaluationCollection.load(folder)
        if !options.embed, let files = try ReadyVectors.find(in: folder, named: options.vectors) {
            return try await EvaluationSubject(collection, vectors: ready(files))
        }
        let vectors = try await EvaluationEmbedder(options, collection: collection).vectors()
        return try await EvaluationSubject(collection, vectors: vectors)
    }

    private static func ready(_ files: ReadyVectorFiles) throws -> Vectors {
        let (documents, queries) = try files.load()
        guard documents.dimensions == queries.dimensions else {
            throw EvaluationError(
                "the documents' vectors have \(documents.dimensions) dimensions, the queries' \(queries.dimensions)")
        }
        return Vectors(
            dimensions: documents.dimensions,
            documents: documents.rowsByID().mapValues { (Array(documents.row($0)), 1) },
            queries: queries.rowsByID().mapValues { Array(queries.row($0)) })
    }

    init(_ collection: EvaluationCollection, vectors: Vectors) async throws {
        self.collection = collection
        notes = collection.warnings
        documentIDs = collection.documents.map(\.id)
        queryVectors = vectors.queries
        index = HybridIndex(dimensions: vectors.dimensions)
        var bar = ProgressBar("index", unit: "documents")
        var missing = 0
        for start in stride(from: 0, to: documentIDs.count, by: 1000) {
            try Task.checkCancellation()
            var update = IndexUpdate()
            for number in start..<min(documentIDs.count, start + 1000) {
                let document = collection.documents[number]
                update.documents.append(
                    RetrievalDocument(id: Int64(number), title: document.title, text: document.text))
                if let (values, passages) = vectors.documents[document.id] {
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
            bar.update(done: start + update.documents.count, total: documentIDs.count)
        }
        bar.finish()
        if missing > 0 { notes.append("\(missing) documents have no vector; only keywords find them") }
        let unvectored = collection.judgedQueries.count { vectors.queries[$0.id] == nil }
        if unvectored > 0 {
            notes.append("\(unvectored) judged queries have no vector and count 0 where one is needed")
        }
    }

    /// Runs all judged queries, one after another.
    ///
    /// - Returns: The rankings, and the milliseconds of each search without embedding.
    func run(_ setting: RetrievalSetting, depth: Int) async throws -> (run: RankedRun, milliseconds: [Double]) {
        var rankings: [String: [ScoredDocument]] = [:]
        var times: [Double] = []
        let queries = collection.judgedQueries
        var bar = ProgressBar(setting.name, unit: "queries")
        for (number, query) in queries.enumerated() {
            try Task.checkCancellation()
            var request = HybridQuery(text: query.text, mode: setting.mode, limit: depth)
            if let fusion = setting.fusion { request.fusion = fusion }
            if let scorer = setting.scorer { request.scorer = scorer }
            if setting.mode != .keyword {
                guard let vector = queryVectors[query.id] else { continue }
                request.vector = vector
            }
            let started = ContinuousClock.now
            let result = try await index.search(request)
            times.append((ContinuousClock.now - started) / .milliseconds(1))
            rankings[query.id] = result.hits.map { ScoredDocument(id: documentIDs[Int($0.id)], score: $0.score) }
            bar.update(done: number + 1, total: queries.count)
        }
        bar.finish()
        return (RankedRun(name: setting.name, rankings: rankings), times)
    }
}
