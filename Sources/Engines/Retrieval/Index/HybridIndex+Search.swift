import Foundation
import Synchronization

extension HybridIndex {
    /// Searches on the index's own threads. Concurrent searches share a pass over the matrix; a single search uses all
    /// threads.
    ///
    /// - Throws: ``RetrievalError``, also when ``maxWaitingSearches`` searches are in progress. `CancellationError`
    ///   when the task was cancelled before the search began. A search that has begun runs to its end.
    public func search(_ query: HybridQuery) async throws -> HybridResult {
        try Task.checkCancellation()
        let run = try start(query)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run.begin { result in continuation.resume(with: result) }
            }
        } onCancel: {
            run.cancel()
        }
    }

    /// Runs several searches concurrently, so that they share passes over the matrix.
    ///
    /// - Returns: The results in the order of the queries.
    /// - Throws: The first error, as ``search(_:)``.
    public func search(_ queries: [HybridQuery]) async throws -> [HybridResult] {
        try Task.checkCancellation()
        var runs: [SearchRun] = []
        do {
            for query in queries { runs.append(try start(query)) }
        } catch {
            for run in runs { run.abandon() }
            throw error
        }
        let results = Mutex([Result<HybridResult, any Error>?](repeating: nil, count: runs.count))
        let toGo = Atomic(runs.count)
        guard !runs.isEmpty else { return [] }
        await withCheckedContinuation { continuation in
            lane.together {
                for (number, run) in runs.enumerated() {
                    run.begin { result in
                        results.withLock { $0[number] = result }
                        if toGo.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
                    }
                }
            }
        }
        return try results.withLock { $0 }.compactMap { try $0?.get() }
    }

    /// Searches and blocks the calling thread. For programs and tests; a server calls ``search(_:)``.
    ///
    /// - Throws: ``RetrievalError``.
    public func searchNow(_ query: HybridQuery) throws -> HybridResult {
        let run = try start(query)
        let done = DispatchSemaphore(value: 0)
        let slot = Mutex<Result<HybridResult, any Error>?>(nil)
        run.begin { result in
            slot.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = slot.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    private func start(_ query: HybridQuery) throws(RetrievalError) -> SearchRun {
        let snapshot = snapshot
        try query.check()
        var unit: [Float]?
        if query.mode != .keyword { unit = try Self.unit(of: query, in: snapshot) }
        guard searchesUnderWay.add(1, ordering: .relaxed).newValue <= Self.maxWaitingSearches else {
            searchesUnderWay.subtract(1, ordering: .relaxed)
            throw RetrievalError(.overloaded, "too many searches wait already")
        }
        return SearchRun(query: query, unit: unit, snapshot: snapshot, lane: lane, pool: pool) { [self] in
            searchesUnderWay.subtract(1, ordering: .relaxed)
        }
    }

    private static func unit(of query: HybridQuery, in snapshot: Snapshot) throws(RetrievalError) -> [Float]? {
        guard let vector = query.vector else {
            throw RetrievalError(.invalidQuery, "a \(query.mode.rawValue) query needs a vector")
        }
        guard let vectors = snapshot.vectors else { return nil }
        guard vector.count == vectors.dimensions else {
            throw RetrievalError(
                .dimensions, "the query has \(vector.count) dimensions, the index has \(vectors.dimensions)")
        }
        guard let unit = UnitVector.normalised(vector) else {
            throw RetrievalError(.unusableVector, "the query's vector is zero or has a component that is not finite")
        }
        return unit
    }

    /// The vector of a document, to find similar documents: the direction of the mean of its passages.
    ///
    /// - Returns: nil when the document has no vector, or when its passages cancel out.
    public func vector(of id: Int64) -> [Float]? {
        let (snapshot, ordinal) = state.withLock { ($0.snapshot, $0.ordinal(of: id)) }
        guard let ordinal, let vectors = snapshot.vectors, let rows = vectors.vectors(at: ordinal) else { return nil }
        var sum = [Float](repeating: 0, count: vectors.dimensions)
        for (place, value) in rows.enumerated() { sum[place % vectors.dimensions] += value }
        return UnitVector.normalised(sum)
    }
}
