package import Access
import Concurrency
package import GatewayAPI
import Inference
import PostgresStorage
package import Retrieval
import Storage
import Text
import Transport

/// Answers searches of the notes: embeds the query, ranks, and loads the notes.
package struct NoteSearch: Sendable {
    /// Where the notes are found.
    let source: any NoteSource
    /// The notes, threads and books.
    let store: any GatewayStore
    /// The notes of the file, which answer while a server is away.
    let local: IndexedNotes
    /// Admits searches of the index.
    package let searches = KeyConcurrencyLimiter(.searches)
    let embedder: QueryEmbedder
    /// The fusion of a query that names none.
    package let defaultFusion: FusionMethod
    /// Reorders the best results.
    package let rerank: RerankStage
    /// Reads questions.
    let questions: QuestionReader

    /// Retrieves notes.
    ///
    /// Without a query vector, keywords answer and the reply gives the reason.
    ///
    /// - Throws: ``StorageError``, ``RetrievalError``, `CancellationError`.
    package func retrieve(_ query: SearchQuery) async throws -> RetrieveResponse {
        if let question = operators(of: query) { return try await answer(query, to: question).reply }
        return try await withIntactIndex {
            query.analyzes ? try await answer(query, with: questions) : try await answer(query)
        }
    }

    /// The maximum number of attempts of a search whose index file is changed meanwhile.
    private static let attemptsWithDamagedFiles = 3

    /// Runs the body again if the index file was changed meanwhile; each refresh takes an intact index.
    func withIntactIndex<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.attemptsWithDamagedFiles {
            do {
                return try await body()
            } catch let error as RetrievalError where error.code == .damaged {
                continue
            }
        }
        return try await body()
    }

    func answer(_ query: SearchQuery) async throws -> RetrieveResponse {
        do {
            return try await answer(query, from: source)
        } catch let error as PostgresError where error.isOutage {
            guard try await !local.notes.page(after: nil, limit: 1).items.isEmpty else { throw error }
            var query = query
            if !query.index.text.isEmpty || !query.index.keywords.isEmpty { query.index.mode = .keyword }
            var response = try await answer(query, from: local)
            response.source = "keyword_fallback"
            response.fallbackReason =
                "PostgreSQL is away (\(error.message)); these are keyword matches of the notes in the local file"
            return response
        }
    }

    private func answer(_ query: SearchQuery, from source: any NoteSource) async throws -> RetrieveResponse {
        let clock = ContinuousClock()
        let started = clock.now
        let live = try await source.view()
        let refreshed = clock.now

        var search = query.index
        if !query.threads.isEmpty {
            // An unknown thread has no notes: the filter then uses an id that no thread has.
            search.filter.threads = try await source.threads(matching: query.threads)
            if search.filter.threads.isEmpty { search.filter.threads = [-1] }
        }
        var fallbackReason: String?
        if search.mode != .keyword {
            switch try await vector(for: search.text, in: live, query) {
            case .success(let vector): search.vector = vector
            case .failure(let reason):
                fallbackReason = reason.text
                search.mode = .keyword
            }
        }
        let embedded = clock.now
        let option = query.mayTellPrivate ? await rerank.optionForPrivate ?? query.rerank : query.rerank
        let candidates = rerank.candidates(
            option, usually: search.recency == nil && search.diversity == nil && !search.text.isEmpty)
        // A longer list has the same beginning.
        search.limit = max(search.limit, candidates ?? 0)
        let result = try await searches.run(query.account.name) { [search] in try await live.search(search) }
        let searched = clock.now
        if fallbackReason != nil, result.documents == 0 {
            fallbackReason = "there are no notes yet; `selene ingest FOLDER` stores some"
        }
        let notes = try await source.load(result.hits.map(\.id))
        let loaded = clock.now

        let found = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
        let bytes = notes.reduce(0) { $0 + $1.content.utf8.count }
        let owner = query.account.name
        var results = try await LargeWork.shared.run(over: bytes, for: owner) {
            result.hits.compactMap { hit in
                found[hit.id].map { FoundNote(hit: hit, note: $0, passage: Self.passage(of: hit, in: $0, live.space)) }
            }
        }
        var report: RerankReport?
        if let candidates {
            report = try await reorder(&results, first: candidates, result, for: search.text, query.account)
        }
        var timings = [
            "refresh": (refreshed - started).milliseconds, "embed": (embedded - refreshed).milliseconds,
            "filter": result.timings.filter.milliseconds, "vector": result.timings.vector.milliseconds,
            "keyword": result.timings.keyword.milliseconds, "fusion": result.timings.fusion.milliseconds,
            "feedback": result.timings.feedback.milliseconds,
            "search": (searched - embedded).milliseconds, "load": (loaded - searched).milliseconds,
            "total": (clock.now - started).milliseconds,
        ]
        timings["rerank"] = report?.milliseconds
        let shown = try await LargeWork.shared.run(over: bytes, for: owner) { [results] in
            results.prefix(query.index.limit).map { $0.result(result, for: query) }
        }
        return RetrieveResponse(
            query: search.text, source: fallbackReason == nil ? search.mode.rawValue : "keyword_fallback",
            fallbackReason: fallbackReason,
            results: shown,
            timingsMilliseconds: timings,
            explanation: search.explain ? RetrievalSummary(search, result, by: live.searcher) : nil,
            rerank: report)
    }

    /// The passage of a long note that is nearest to the query; nil when the note is one passage.
    static func passage(of hit: Hit, in note: Note, _ space: StoredSpace?) -> RetrievedNote.Passage? {
        guard let number = hit.passage, let space, space.space.chunkerVersion == Chunker.version else { return nil }
        let passages = Chunker.passages(title: note.title, content: note.content)
        guard passages.count > 1, passages.indices.contains(number) else { return nil }
        return RetrievedNote.Passage(
            number: number, start: passages[number].range.lowerBound, end: passages[number].range.upperBound)
    }

    private struct Reason: Error { var text: String }

    private func vector(
        for text: String, in live: NoteView, _ query: SearchQuery
    ) async throws -> Result<[Float], Reason> {
        guard let space = live.space, live.hasVectors else {
            return .failure(Reason(text: "no note has been embedded yet; run `selene backfill`"))
        }
        do {
            let vector = try await embedder.vector(
                for: text, in: space, account: query.account, mayTellPrivate: query.mayTellPrivate)
            guard UnitVectorCheck.isUsable(vector) else {
                return .failure(Reason(text: "Ollama's vector for this query is zero or not finite"))
            }
            return .success(vector)
        } catch let error as SpaceMismatch {
            return .failure(Reason(text: error.reason))
        } catch let error as UpstreamError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as UpstreamError {
            return .failure(Reason(text: error.message))
        }
    }
}

/// Checks whether a vector is finite and not zero.
private enum UnitVectorCheck {
    static func isUsable(_ vector: [Float]) -> Bool {
        vector.allSatisfy(\.isFinite) && vector.contains { $0 != 0 }
    }
}
