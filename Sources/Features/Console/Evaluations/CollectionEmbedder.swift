import Evaluation
import Inference
import Text
import Transport

/// Embeds a collection as notes are embedded: long documents in passages, with the model's prefixes. Unchanged texts come
/// from the cache of vectors.
struct CollectionEmbedder: Sendable {
    /// The caller of all calls; its batch priority puts them behind interactive requests.
    static let caller = AdmissionCaller("evaluation", .batch)
    /// Texts of one call, at least; a document's passages stay together.
    static let batch = 32

    let lane: EmbeddingLane
    let model: String
    let account: EmbeddingAccount?

    /// Embeds documents and judged queries.
    ///
    /// - Parameter progress: Called with the number of embedded documents and queries.
    /// - Throws: `UpstreamError`, `EvaluationError` when the vectors do not fit together, `CancellationError`.
    func vectors(
        of collection: EvaluationCollection, progress: (_ done: Int) -> Void
    ) async throws -> EvaluationSubject.Vectors {
        let profile = ModelProfile(model: model)
        var vectors = EvaluationSubject.Vectors(dimensions: 0, documents: [:], queries: [:])
        var done = 0
        func dimensions(_ values: [Float]) throws {
            if vectors.dimensions == 0 { vectors.dimensions = values.count }
            guard values.count == vectors.dimensions else {
                throw EvaluationError("\(model) gave vectors of \(vectors.dimensions) and \(values.count) dimensions")
            }
        }
        var waiting: [(id: String, texts: [String])] = []
        func flush() async throws {
            let found = try await embed(waiting.flatMap(\.texts))
            var next = found.startIndex
            for (id, texts) in waiting {
                let passages = found[next..<next + texts.count].compactMap(\.self)
                next += texts.count
                // A document whose passage was refused has no vector.
                guard passages.count == texts.count, !passages.isEmpty else { continue }
                for passage in passages { try dimensions(passage) }
                vectors.documents[id] = (Array(passages.joined()), passages.count)
            }
            done += waiting.count
            waiting = []
            progress(done)
        }
        for document in collection.documents {
            let texts = Chunker.passages(title: document.title, content: document.text)
                .map { profile.prepared($0.text, kind: .document) }
            waiting.append((document.id, texts))
            if waiting.reduce(0, { $0 + $1.texts.count }) >= Self.batch { try await flush() }
        }
        try await flush()
        let queries = collection.judgedQueries
        for start in stride(from: 0, to: queries.count, by: Self.batch) {
            let part = queries[start..<min(queries.count, start + Self.batch)]
            let found = try await embed(part.map { profile.prepared($0.text, kind: .query) })
            for (query, values) in zip(part, found) {
                guard let values else { continue }
                try dimensions(values)
                vectors.queries[query.id] = values
            }
            done += part.count
            progress(done)
        }
        guard vectors.dimensions > 0 else { throw EvaluationError("\(model) refused every text of the collection") }
        return vectors
    }

    /// Embeds texts; nil for a text that the model refuses.
    private func embed(_ texts: [String]) async throws -> [[Float]?] {
        guard !texts.isEmpty else { return [] }
        try Task.checkCancellation()
        try await account?.check()
        let cost = EmbeddingCost()
        defer { account?.charge(cost.tokens, model) }
        let answer = try await lane.embed(texts, with: EmbeddingModel(name: model), as: Self.caller, cost: cost)
        if let outage = answer.outage { throw outage }
        return try answer.results.map { result in
            switch result {
            case .success(let vector): return vector.allSatisfy(\.isFinite) && !vector.isEmpty ? vector : nil
            case .failure(let error) where error.status == 400: return nil
            case .failure(let error): throw error
            }
        }
    }
}
