import Synchronization

/// Runs one search: the filter, then both legs in parallel on the pool, then fusion on the thread that ends last.
final class SearchRun: Sendable {
    /// The number of candidates of each leg for every limit up to this number. So a longer list never reorders a
    /// shorter one.
    static let depth = 200

    /// With a tuned plan, the most filtered documents whose rows are all read.
    static let mostExactRows = 16_384

    private struct State {
        var vector: VectorLegResult?
        var keyword: KeywordLeg?
        /// What the keyword leg searched.
        var search: KeywordSearch?
        var legsToGo = 0
        var timings = HybridResult.Timings()
        var isCancelled = false
        var complete: (@Sendable (Result<HybridResult, any Error>) -> Void)?
    }

    private let query: HybridQuery
    private let unit: [Float]?
    private let terms: QueryTerms
    private let snapshot: HybridIndex.Snapshot
    private let lane: VectorLane
    private let pool: ScanPool
    private let release: @Sendable () -> Void
    private let state = Mutex(State())

    init(
        query: HybridQuery, unit: [Float]?, snapshot: HybridIndex.Snapshot, lane: VectorLane, pool: ScanPool,
        release: @escaping @Sendable () -> Void
    ) {
        self.query = query
        self.unit = unit
        terms =
            query.mode == .vector
            ? QueryTerms(text: "", phrases: []) : QueryTerms(text: query.text, phrases: query.keywords)
        self.snapshot = snapshot
        self.lane = lane
        self.pool = pool
        self.release = release
    }

    /// Starts the search. The closure is called once, on a thread of the pool.
    func begin(_ complete: @escaping @Sendable (Result<HybridResult, any Error>) -> Void) {
        state.withLock { $0.complete = complete }
        guard !query.filter.isEmpty else { return startLegs(passed: nil) }
        onPool { [self] in
            let clock = ContinuousClock()
            var passed: Bitmap?
            let time = clock.measure { passed = snapshot.catalog.matching(query.filter) }
            state.withLock { $0.timings.filter = time }
            startLegs(passed: passed)
        }
    }

    /// Ends the search with `CancellationError`, unless its legs have begun.
    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Releases the place of a search that does not begin.
    func abandon() { release() }

    private func onPool(_ body: @escaping @Sendable () -> Void) {
        pool.submit(ScanJob(maxWorkers: 1, participate: body, finish: {}))
    }

    private func startLegs(passed: Bitmap?) {
        let (hasVector, hasKeyword) = (unit != nil && query.mode != .keyword, query.mode != .vector)
        let isCancelled = state.withLock { state in
            state.legsToGo = (hasVector ? 1 : 0) + (hasKeyword ? 1 : 0)
            return state.isCancelled
        }
        guard !isCancelled else { return end(.failure(CancellationError())) }
        if hasKeyword { startKeywordLeg(passed) }
        if hasVector, let unit, let vectors = snapshot.vectors { startVectorLeg(unit, vectors, passed) }
        if !hasVector, !hasKeyword { onPool { [self] in end(.success(fused(passed))) } }
    }

    private func startVectorLeg(_ unit: [Float], _ vectors: VectorIndex, _ passed: Bitmap?) {
        let started = ContinuousClock.now
        var plan = VectorPlan.exact
        if let wanted = query.plan {
            plan = wanted
        } else if let tuned = snapshot.tuning?.usable {
            plan = tuned
        }
        if !vectors.hasCodes(for: plan) { plan = .exact }
        // Reading a few filtered rows is cheaper than reading all codes, but each may be a read of the disk.
        if let passed, passed.count * 8 < vectors.count, passed.count <= Self.mostExactRows { plan = .exact }
        // The vector leg alone needs only the wanted count, because a longer list has the same beginning.
        let isAlone = query.mode == .vector && query.recency == nil && query.diversity == nil
        let wanted = isAlone ? query.limit : max(Self.depth, query.limit)
        var candidates = query.candidates ?? snapshot.tuning?.candidates ?? Self.depth
        // A first pass selects rows, and several rows may belong to one document.
        if vectors.hasPassages { candidates = max(candidates, 2 * wanted) }
        lane.submit(
            VectorLane.Waiting(
                request: VectorRequest(query: unit, wanted: wanted, passed: passed, plan: plan),
                version: snapshot.version, index: vectors, catalog: snapshot.catalog,
                candidates: candidates
            ) { [self] result in
                legEnded(passed) { state in
                    state.vector = result
                    state.timings.vector = ContinuousClock.now - started
                }
            })
    }

    private func startKeywordLeg(_ passed: Bitmap?) {
        let started = ContinuousClock.now
        // Alone, as the vector leg. Explanations count the candidates.
        let isAlone =
            query.mode == .keyword && query.recency == nil && query.diversity == nil && !query.explain
        let search = KeywordSearch(
            wanted: isAlone ? query.limit : max(Self.depth, query.limit), terms: terms, scorer: query.scorer,
            needsPattern: query.needsPattern && query.mode == .keyword, countsAll: query.explain,
            keepsFound: query.mode == .hybrid && query.feedback != nil, index: snapshot.keywords, passed: passed,
            catalog: snapshot.catalog)
        KeywordLegRun.start(search, on: pool) { [self] leg in
            legEnded(passed) { state in
                state.keyword = leg
                state.search = search
                state.timings.keyword = ContinuousClock.now - started
            }
        }
    }

    private func legEnded(_ passed: Bitmap?, _ store: (inout State) -> Void) {
        let isLast = state.withLock { state in
            store(&state)
            state.legsToGo -= 1
            return state.legsToGo == 0
        }
        if isLast { end(.success(fused(passed))) }
    }

    private func end(_ result: Result<HybridResult, any Error>) {
        release()
        var result = result
        // Results read from a file that was changed meanwhile are invalid.
        if case .success = result, !snapshot.isIntact { result = .failure(RetrievalError.damagedFile) }
        let complete = state.withLock { state in
            defer { state.complete = nil }
            return state.complete
        }
        complete?(result)
    }

    private func fused(_ passed: Bitmap?) -> HybridResult {
        let started = ContinuousClock.now
        let (vector, keyword, times) = state.withLock { ($0.vector, $0.keyword, $0.timings) }
        var timings = times
        let ranking = Ranking(query: query, snapshot: snapshot)
        let second = feedback(ranking, &timings)
        let hits = ranking.hits(
            vector: second?.vector ?? vector?.hits ?? [], keyword: second?.keyword ?? keyword?.hits ?? [],
            firstRanks: second?.firstRanks ?? [:])
        timings.fusion = ContinuousClock.now - started
        let plan = vector?.plan ?? .exact
        return HybridResult(
            hits: hits, terms: terms.terms.map(\.text), plans: keyword?.plans ?? [],
            documents: snapshot.catalog.liveCount,
            filterMatched: passed?.count ?? snapshot.catalog.liveCount, vectorCandidates: vector?.hits.count ?? 0,
            keywordCandidates: keyword?.hits.count ?? 0, keywordMatches: keyword?.matched,
            bytesScanned: (vector?.bytesScanned ?? 0) + (keyword?.bytesRead ?? 0), plan: plan,
            measuredRecall: plan == .exact ? nil : snapshot.tuning?.recallAt10, feedback: second?.report,
            batch: vector?.batch ?? 0, timings: timings)
    }

    /// The second rankings of both legs; nil without feedback.
    private func feedback(_ ranking: Ranking, _ timings: inout HybridResult.Timings) -> FeedbackPass.Legs? {
        let (vector, keyword, search) = state.withLock { ($0.vector, $0.keyword, $0.search) }
        guard query.mode == .hybrid, let feedback = query.feedback, let unit, let vectors = snapshot.vectors,
            let vector,
            let keyword, let search, let found = keyword.found
        else { return nil }
        let started = ContinuousClock.now
        defer { timings.feedback = ContinuousClock.now - started }
        let pass = FeedbackPass(
            feedback: feedback, unit: unit, vectors: vectors, catalog: snapshot.catalog, keywords: search, found: found)
        guard pass.hasPart(in: vector.hits, keyword.hits) else { return nil }
        return pass.legs(
            vector: vector.hits, keyword: keyword.hits,
            ranked: ranking.ordinals(vector: vector.hits, keyword: keyword.hits))
    }
}
