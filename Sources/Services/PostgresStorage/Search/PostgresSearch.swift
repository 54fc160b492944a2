package import Retrieval
package import Storage

/// Searches the notes in the database: both legs side by side, then fusion as in ``HybridIndex``.
package struct PostgresSearch: Sendable {
    let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// What a search needs to know of the database first.
    package struct View: Sendable {
        /// The space that answers queries; nil before the first backfill.
        package var space: StoredSpace?
        /// Whether any note has a vector in the space.
        package var hasVectors = false
        /// All notes, words and bytes that keywords can find.
        package var totals = KeywordAnswer.Totals(documents: 0, words: 0, bytes: 0)
        /// The measured index that answers; nil when every vector is compared.
        package var index: VectorIndexPlan?
        var elements = VectorIndexPlan.Elements.halfvec
        /// The greatest number of the vocabulary.
        var lastRun: Int64 = 0
    }

    /// Reads the state that searches share, with one small query.
    package func view() async throws -> View {
        let rows = try await store.rows(
            """
            SELECT \(PostgresSpaces.columns), index_kind, index_search, index_recall,
                EXISTS (SELECT 1 FROM embeddings e WHERE e.space_id = s.id), t.documents, t.words, t.bytes,
                (SELECT value FROM meta WHERE key = 'index_elements:' || s.id), (SELECT max(id) FROM vocabulary)
            FROM (SELECT coalesce(sum(documents), 0)::bigint AS documents, coalesce(sum(words), 0)::bigint AS words,
                coalesce(sum(bytes), 0)::bigint AS bytes FROM totals) t
            LEFT JOIN spaces s ON s.id = (SELECT value::bigint FROM meta WHERE key = 'active_space')
            """)
        var view = View()
        view.space = PostgresSpaces.space(rows, 0)
        if let kind = rows.text(0, 7).flatMap(VectorIndexPlan.Kind.init), let search = rows.integer(0, 8),
            let recall = rows.double(0, 9), recall >= VectorIndexPlan.leastRecall
        {
            view.index = VectorIndexPlan(kind: kind, search: Int(search), recall: recall)
            view.elements = rows.text(0, 14).flatMap(VectorIndexPlan.Elements.init) ?? .halfvec
        }
        view.hasVectors = rows.bool(0, 10) ?? false
        view.lastRun = rows.integer(0, 15) ?? 0
        func count(_ column: Int) -> Int { Int(rows.integer(0, column) ?? 0) }
        view.totals = KeywordAnswer.Totals(documents: count(11), words: count(12), bytes: count(13))
        return view
    }

    /// Runs a query.
    ///
    /// - Throws: ``PostgresError``, ``RetrievalError``, `CancellationError`.
    package func search(_ query: HybridQuery, _ view: View) async throws -> HybridResult {
        var legs = RemoteLegs()
        legs.documents = view.totals.documents
        legs.filterMatched = legs.documents
        let depth = RemoteLegs.depth(for: query.limit)
        async let near = nearest(query, view, depth)
        async let worded = keywords(query, view, depth)
        (legs.vector, legs.timings.vector) = try await near
        let keyword = try await worded
        (legs.keyword, legs.timings.keyword) = (keyword.hits, keyword.time)
        if let space = view.space, let answer = keyword.answer {
            let started = ContinuousClock.now
            legs.second = try await PostgresFeedback(store: store, space: space, totals: view.totals)
                .second(query, legs, answer, runs: keyword.runs, keyword.vocabulary)
            legs.timings.feedback = ContinuousClock.now - started
        }
        if query.explain, query.mode != .vector { legs.keywordMatches = keyword.found }
        if query.explain, !query.filter.isEmpty { legs.filterMatched = try await count(query.filter) }
        if query.diversity ?? 0 > 0, let space = view.space {
            legs.firstVectors = try await firstVectors(
                of: Set(legs.vector.hits.map(\.id) + legs.keyword.map(\.id)).sorted(), in: space)
        }
        return try legs.result(for: query)
    }

    private func nearest(
        _ query: HybridQuery, _ view: View, _ depth: Int
    ) async throws -> (VectorLegAnswer, Duration) {
        guard query.mode != .keyword, view.hasVectors, let vector = query.vector, let space = view.space else {
            return (VectorLegAnswer(), .zero)
        }
        guard vector.count == space.space.dimensions else {
            throw RetrievalError(
                .dimensions, "the query has \(vector.count) dimensions, the space has \(space.space.dimensions)")
        }
        let started = ContinuousClock.now
        let leg = PostgresVectorLeg(store: store, space: space, plan: view.index, elements: view.elements)
        let answer = try await leg.nearest(vector, wanted: depth, filter: query.filter, isExact: query.plan == .exact)
        return (answer, ContinuousClock.now - started)
    }

    private func count(_ filter: Filter) async throws -> Int {
        var conditions = FilterConditions(after: 0)
        conditions.add(filter)
        let rows = try await store.rows(
            "SELECT count(*) FROM notes n WHERE NOT n.hidden AND \(conditions.sql)", conditions.values)
        return Int(rows.integer(0, 0) ?? 0)
    }

    private func firstVectors(of ids: [Int64], in space: StoredSpace) async throws -> [Int64: [Float]] {
        let rows = try await store.rows(
            "SELECT note_id, embedding FROM vectors WHERE space_id = $1 AND passage = 0 AND note_id = ANY ($2)",
            [.integer(space.id), .integers(ids)])
        var found: [Int64: [Float]] = [:]
        for row in rows.indices {
            if let id = rows.integer(row, 0), let vector = rows.vector(row, 1) { found[id] = vector }
        }
        return found
    }

    /// The direction of the mean of a note's passages; nil for a note without vectors.
    package func vector(of note: Int64, in space: StoredSpace) async throws -> [Float]? {
        let rows = try await store.rows(
            "SELECT embedding FROM vectors WHERE space_id = $1 AND note_id = $2 ORDER BY passage",
            [.integer(space.id), .integer(note)])
        var sum = [Float](repeating: 0, count: space.space.dimensions)
        for row in rows.indices {
            guard let vector = rows.vector(row, 0), vector.count == sum.count else { continue }
            let length = vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
            guard length > 0, length.isFinite else { continue }
            for place in sum.indices { sum[place] += Float(Double(vector[place]) / length) }
        }
        return sum.contains { $0 != 0 } ? sum : nil
    }
}

/// A filter as conditions on `notes n`.
struct FilterConditions {
    private(set) var values: [PostgresValue] = []
    private var parts: [String] = []
    private var number: Int

    /// - Parameter after: The parameters that the statement has already.
    init(after: Int) { number = after }

    /// The conditions, joined by AND.
    var sql: String { parts.isEmpty ? "true" : parts.joined(separator: " AND ") }

    private mutating func place(_ value: PostgresValue) -> String {
        values.append(value)
        number += 1
        return "$\(number)"
    }

    mutating func add(_ filter: Filter) {
        // Words are compared in lower case, as the index in memory compares them.
        func lowered(_ words: Set<String>) -> PostgresValue { .texts(words.map { $0.lowercased() }.sorted()) }
        if !filter.noteTypes.isEmpty { parts.append("lower(n.note_type) = ANY (\(place(lowered(filter.noteTypes))))") }
        if !filter.actionabilities.isEmpty {
            parts.append("lower(n.actionability) = ANY (\(place(lowered(filter.actionabilities))))")
        }
        if let since = filter.since { parts.append("n.created >= \(place(.integer(since)))") }
        if let until = filter.until { parts.append("n.created <= \(place(.integer(until)))") }
        if !filter.threads.isEmpty {
            let threads = place(.integers(filter.threads.sorted()))
            parts.append(
                "EXISTS (SELECT 1 FROM thread_notes tn WHERE tn.note_id = n.id AND tn.thread_id = ANY (\(threads)))")
        }
        if !filter.tags.isEmpty {
            let tags = place(lowered(filter.tags))
            parts.append("EXISTS (SELECT 1 FROM unnest(n.tags) AS t (tag) WHERE lower(t.tag) = ANY (\(tags)))")
        }
        if let ids = filter.ids {
            let (low, high) = (place(.integers(ids.map(\.lowerBound))), place(.integers(ids.map(\.upperBound))))
            parts.append(
                "EXISTS (SELECT 1 FROM unnest(\(low)::bigint[], \(high)::bigint[]) AS r (low, high) "
                    + "WHERE n.id BETWEEN r.low AND r.high)")
        }
    }
}
