import Synchronization

/// The result of measuring a plan on a sample, for reports.
public struct PlanMeasurement: Sendable, Hashable {
    /// The plan.
    public var plan: VectorPlan
    /// The number of rows that the first pass selects; 0 for the exact plan.
    public var candidates: Int
    /// The share of the ten nearest documents that the plan found, 0 to 1.
    public var recallAt10: Double
    /// The median time of the vector leg of a single search.
    public var median: Duration
}

extension HybridIndex {
    /// The numbers of first-pass rows to try.
    static let candidateSteps = [200, 400, 800, 1600, 3200, 6400]

    /// The most bytes of codes of a plan that is measured. A plan that needs more memory is left out.
    static let mostCodeBytes = 2 << 30

    /// How long the time of one plan is measured.
    static let medianTime = Duration.seconds(10)

    /// Measures each plan against the exact scan, then uses the fastest plan whose recall@10 is at least
    /// ``VectorTuning/leastRecall``. Without such a plan, the exact scan stays in use.
    ///
    /// - Parameters:
    ///   - queries: Query vectors. If empty, stored vectors serve as queries, each excluding its own document.
    ///   - sample: The number of stored vectors to use as queries if none are given.
    ///   - now: Seconds since 1970, stored with the result.
    ///   - progress: Called before each measurement with its description.
    /// - Returns: All measurements, the exact plan's first.
    /// - Throws: ``RetrievalError``: the index has no vectors; `CancellationError`.
    @discardableResult
    public func tune(
        queries given: [[Float]] = [], sample: Int = 500, now: Int64, progress: (String) -> Void
    ) async throws -> [PlanMeasurement] {
        let queries = given.isEmpty ? sampledQueries(sample) : given.map { ($0, nil) }
        guard !queries.isEmpty else {
            throw RetrievalError(.invalidQuery, "there are no vectors to measure with; run `selene backfill`")
        }
        let plans = affordablePlans
        if !plans.allSatisfy(availablePlans.contains) {
            progress("encoding rows")
            encodeRows(for: Set(plans)) { _, _ in }
        }
        progress("exact")
        let exact = try await nearest(queries, .exact, candidates: 0)
        var found = [
            PlanMeasurement(plan: .exact, candidates: 0, recallAt10: 1, median: try median(of: queries, .exact, 0))
        ]
        for plan in plans {
            for candidates in Self.candidateSteps {
                try Task.checkCancellation()
                progress("\(plan.rawValue), \(candidates) candidates")
                let recall = Self.recall(of: try await nearest(queries, plan, candidates: candidates), against: exact)
                found.append(
                    PlanMeasurement(
                        plan: plan, candidates: candidates, recallAt10: recall,
                        median: try median(of: queries, plan, candidates)))
                if recall >= VectorTuning.leastRecall { break }
            }
        }
        let slowest = found[0].median
        let best = found.dropFirst().filter { $0.recallAt10 >= VectorTuning.leastRecall && $0.median < slowest }
            .min { $0.median < $1.median }
        let tuning = best.map {
            VectorTuning(
                plan: $0.plan, candidates: $0.candidates, recallAt10: $0.recallAt10, sample: queries.count,
                speedup: slowest / $0.median, measuredAt: now)
        }
        if let plan = tuning?.usable {
            encodeRows(for: [plan]) { _, _ in }
        } else {
            encodeRows(for: []) { _, _ in }
        }
        state.withLock { $0.snapshot.tuning = tuning }
        return found
    }

    /// The plans whose codes fit into memory.
    private var affordablePlans: [VectorPlan] {
        guard let vectors = snapshot.vectors else { return [] }
        let bytes = vectors.rows * ByteCodes.stride(forDimensions: vectors.dimensions)
        return bytes <= Self.mostCodeBytes ? [.int8, .binary] : [.binary]
    }

    private typealias Query = (vector: [Float], own: Int64?)

    /// Evenly spaced stored vectors, each with the id of its document.
    private func sampledQueries(_ wanted: Int) -> [Query] {
        let snapshot = snapshot
        guard let vectors = snapshot.vectors, vectors.count > 0, wanted > 0 else { return [] }
        var left = stride(from: 0, to: snapshot.catalog.count, by: max(1, snapshot.catalog.count / wanted))
            .makeIterator()
        var queries: [Query] = []
        while queries.count < wanted, let ordinal = left.next() {
            guard let rows = vectors.vectors(at: ordinal) else { continue }
            queries.append((Array(rows.prefix(vectors.dimensions)), snapshot.catalog.ids[ordinal]))
        }
        return queries
    }

    private func request(_ query: Query, _ plan: VectorPlan, _ candidates: Int) -> HybridQuery {
        var request = HybridQuery(text: "", vector: query.vector, mode: .vector, limit: 11)
        request.plan = plan
        request.candidates = candidates
        return request
    }

    /// The cosines of the ten nearest documents, without the query's own document.
    private func nearest(_ queries: [Query], _ plan: VectorPlan, candidates: Int) async throws -> [[Double]] {
        var all: [[Double]] = []
        for start in stride(from: 0, to: queries.count, by: 64) {
            let batch = queries[start..<min(queries.count, start + 64)]
            let results = try await search(batch.map { request($0, plan, candidates) })
            for (query, result) in zip(batch, results) {
                all.append(result.hits.filter { $0.id != query.own }.prefix(10).map(\.score))
            }
        }
        return all
    }

    /// The recall of found cosines. A document with the cosine of the tenth nearest counts as found.
    private static func recall(of found: [[Double]], against exact: [[Double]]) -> Double {
        var (hits, wanted) = (0, 0)
        for (found, exact) in zip(found, exact) {
            let least = exact.last ?? 0
            hits += found.count { $0 >= least }
            wanted += exact.count
        }
        return wanted > 0 ? Double(hits) / Double(wanted) : 1
    }

    private func median(of queries: [Query], _ plan: VectorPlan, _ candidates: Int) throws -> Duration {
        var times: [Duration] = []
        let started = ContinuousClock.now
        for query in queries.prefix(31) where times.count < 3 || ContinuousClock.now - started < Self.medianTime {
            times.append(try searchNow(request(query, plan, candidates)).timings.vector)
        }
        return times.sorted()[times.count / 2]
    }
}
