import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// A plan answers instead of the exact scan only when it was measured to find what that finds.
@Suite struct Tuning {
    func index(_ vectors: [[Float]]) throws -> HybridIndex {
        let index = HybridIndex(dimensions: vectors[0].count)
        var update = IndexUpdate()
        for (id, vector) in vectors.enumerated() {
            update.documents.append(RetrievalDocument(id: Int64(id), title: "", text: ""))
            update.vectors.append(VectorEntry(id: Int64(id), values: vector))
        }
        try index.apply(update)
        return index
    }

    func query(_ vector: [Float], _ plan: VectorPlan?, _ candidates: Int? = nil) -> HybridQuery {
        var query = HybridQuery(text: "", vector: vector, mode: .vector)
        query.plan = plan
        query.candidates = candidates
        return query
    }

    /// The share of the ten nearest that a plan finds, counted by cosines: equal ones are equally good.
    func recall(_ index: HybridIndex, _ queries: [[Float]], _ measured: PlanMeasurement) throws -> Double {
        var found = 0
        for vector in queries {
            let exact = try index.searchNow(query(vector, .exact)).hits
            let least = try #require(exact.last).score
            let hits = try index.searchNow(query(vector, measured.plan, measured.candidates)).hits
            found += hits.count { $0.score >= least }
        }
        return Double(found) / Double(queries.count * 10)
    }

    /// The choice follows from the measurements, however fast this machine is.
    func checkChoice(_ index: HybridIndex, _ measured: [PlanMeasurement], sample: Int) {
        #expect(measured.first?.plan == .exact)
        #expect(measured.first?.recallAt10 == 1)
        let slowest = measured[0].median
        let good = measured.dropFirst().filter { $0.recallAt10 >= 0.995 && $0.median < slowest }
        guard let best = good.min(by: { $0.median < $1.median }) else {
            #expect(index.tuning == nil)
            #expect(index.availablePlans == [.exact])
            #expect(index.statistics.codeBytes == 0)
            return
        }
        #expect(index.tuning?.plan == best.plan.rawValue)
        #expect(index.tuning?.candidates == best.candidates)
        #expect(index.tuning?.recallAt10 == best.recallAt10)
        #expect((index.tuning?.recallAt10 ?? 0) >= 0.995)
        #expect((index.tuning?.speedup ?? 0) > 1)
        #expect(index.tuning?.sample == sample)
        #expect(index.tuning?.measuredAt == 77)
        #expect(index.availablePlans == [.exact, best.plan])
    }

    @Test func `vectors that are told apart easily get a plan that finds them all`() async throws {
        var random = SeededGenerator(1)
        let vectors = (0..<700).map { _ in random.vector(256) }
        let index = try index(vectors)
        let queries = (0..<20).map { _ in random.vector(256) }
        var said: [String] = []
        let measured = try await index.tune(queries: queries, now: 77) { said.append($0) }
        checkChoice(index, measured, sample: 20)
        // Both are good enough sooner or later: at last all rows are candidates.
        for plan in [VectorPlan.int8, .binary] {
            #expect(measured.last { $0.plan == plan }.map { $0.recallAt10 >= 0.995 } == true)
        }
        #expect(measured.first { $0.plan == .int8 }.map { $0.recallAt10 >= 0.995 && $0.candidates == 200 } == true)
        #expect(said.count == measured.count + 1)
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        for one in measured.dropFirst() { #expect(try recall(index, queries, one) == one.recallAt10) }
    }

    /// Rows of one cluster differ by less than a step of a byte, and lie far from the mean on the same side of every
    /// axis: neither bytes nor bits tell them apart.
    @Test(.slow) func `vectors that no plan can tell apart are scanned exactly`() async throws {
        var random = SeededGenerator(2)
        let base = (0..<16).map { _ in Float.random(in: 0.9...1, using: &random) }
        func near(_ sign: Float) -> [Float] { base.map { sign * $0 + Float.random(in: -1e-4...1e-4, using: &random) } }
        let index = try index((0..<9000).map { _ in near(1) } + (0..<1500).map { _ in near(-1) })
        let queries = (0..<4).map { _ in random.vector(16) }
        let measured = try await index.tune(queries: queries, now: 77) { _ in }
        checkChoice(index, measured, sample: 4)
        #expect(measured.count == 1 + 2 * HybridIndex.candidateSteps.count)
        #expect(measured.dropFirst().allSatisfy { $0.recallAt10 < 0.995 })
        #expect(index.tuning == nil)
        #expect(try index.searchNow(query(queries[0], nil)).plan == .exact)
    }

    @Test func `stored vectors serve as queries, and none finds itself`() async throws {
        var random = SeededGenerator(3)
        let index = try index((0..<60).map { _ in random.vector(24) })
        let measured = try await index.tune(sample: 25, now: 77) { _ in }
        checkChoice(index, measured, sample: 25)
        // More candidates than rows.
        #expect(measured.map(\.recallAt10) == [1, 1, 1])
    }

    @Test func `an index without vectors cannot be measured`() async throws {
        for dimensions in [nil, 8] {
            let index = HybridIndex(dimensions: dimensions)
            await #expect(throws: RetrievalError.self) { try await index.tune(now: 77) { _ in } }
        }
    }

    @Test(arguments: [VectorPlan.int8, .binary])
    func `a measured plan answers, says so, and can be overruled`(plan: VectorPlan) throws {
        var random = SeededGenerator(4)
        let index = try index((0..<300).map { _ in random.vector(32) })
        index.encodeRows(for: [plan]) { _, _ in }
        func set(_ recall: Double, _ candidates: Int, _ name: String = plan.rawValue) {
            var tuning = VectorTuning(
                plan: plan, candidates: candidates, recallAt10: recall, sample: 9, speedup: 2, measuredAt: 1)
            tuning.plan = name
            index.state.withLock { $0.snapshot.tuning = tuning }
        }
        let vector = random.vector(32)
        set(0.997, 50)
        let result = try index.searchNow(query(vector, nil))
        #expect(result.plan == plan)
        #expect(result.measuredRecall == 0.997)
        let few = try index.searchNow(query(vector, plan, 50))
        #expect(result.hits.map(\.id) == few.hits.map(\.id))
        #expect(result.bytesScanned == few.bytesScanned)
        let exact = try index.searchNow(query(vector, .exact))
        #expect(exact.plan == .exact)
        #expect(exact.measuredRecall == nil)
        // Not good enough, without candidates, or a plan that this version does not know.
        set(0.9949, 50)
        #expect(try index.searchNow(query(vector, nil)).plan == .exact)
        set(1, 0)
        #expect(try index.searchNow(query(vector, nil)).plan == .exact)
        set(1, 50, "ternary")
        #expect(try index.searchNow(query(vector, nil)).plan == .exact)
    }

    @Test func `a measurement that is called off changes nothing`() async throws {
        var random = SeededGenerator(5)
        let index = try index((0..<50).map { _ in random.vector(8) })
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await index.tune(now: 77) { _ in }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(index.tuning == nil)
    }
}
