import Dispatch
import TestSupport
import Testing

@testable import Retrieval

/// One pass for many requests, by several threads, against brute force.
@Suite struct VectorPasses {
    /// Documents with vectors, some with several, some replaced, some removed.
    struct BruteForceIndex {
        var index: VectorIndex
        var ids: [Int64]
        var alive: Bitmap
        /// The vectors that count, by document, in double precision.
        var vectors: [[[Double]]]

        /// - Parameters:
        ///   - distinct: Of how many different vectors the rows consist; all differ when nil.
        ///   - twins: Whether a document's passages differ in the last bits only.
        init(
            seed: UInt64, dimensions: Int, documents: Int, passages: Int = 1, distinct: Int? = nil, twins: Bool = false
        ) {
            var random = SeededGenerator(seed)
            index = VectorIndex(dimensions: dimensions)
            ids = (0..<Int64(documents)).map { $0 * 3 - 50 }.shuffled(using: &random)
            alive = Bitmap(full: documents)
            vectors = Array(repeating: [], count: documents)
            let pool = distinct.map { count in (0..<count).map { _ in Self.unit(random.vector(dimensions)) } }
            func rows() -> [[Float]] {
                let first = pool?.randomElement(using: &random) ?? Self.unit(random.vector(dimensions))
                return (0..<Int.random(in: 1...passages, using: &random)).map { passage in
                    guard passage > 0 else { return first }
                    guard twins else {
                        return pool?.randomElement(using: &random) ?? Self.unit(random.vector(dimensions))
                    }
                    return first.map { Bool.random(using: &random) ? $0.nextUp : $0 }
                }
            }
            for ordinal in (0..<documents).shuffled(using: &random) {
                // One in four is replaced, so that rows lie there which no longer count.
                for _ in 0..<(Int.random(in: 0..<4, using: &random) == 0 ? 2 : 1) {
                    let rows = rows()
                    index.set(rows.flatMap { $0 }, at: ordinal)
                    vectors[ordinal] = rows.map { $0.map(Double.init) }
                }
                switch Int.random(in: 0..<16, using: &random) {
                case 0:
                    index.remove(at: ordinal)
                    vectors[ordinal] = []
                case 1:
                    alive[ordinal] = false
                    vectors[ordinal] = []
                default: break
                }
            }
        }

        static func unit(_ vector: [Float]) -> [Float] { UnitVector.normalised(vector) ?? vector }

        /// What must be found, by scores of single rows: they are final, wherever a row lies.
        func expected(_ request: VectorRequest) -> [LegHit] {
            let all = vectors.indices.compactMap { ordinal -> LegHit? in
                guard !vectors[ordinal].isEmpty, request.passed?[ordinal] ?? true else { return nil }
                let scores = index.rows(of: ordinal).map { index.score(of: request.query, row: $0) }
                guard let best = scores.max(), let passage = scores.firstIndex(of: best) else { return nil }
                return LegHit(ordinal: ordinal, score: Double(best), passage: passage)
            }
            return Array(
                all.sorted { ($1.score, ids[$0.ordinal]) < ($0.score, ids[$1.ordinal]) }.prefix(request.wanted))
        }

        /// The greatest inner product of a document's vectors with a query, in double precision.
        func score(_ ordinal: Int, _ query: [Float]) -> Double {
            vectors[ordinal].map { row in
                zip(row, query).reduce(0.0) { $0 + $1.0 * Double($1.1) }
            }.max() ?? -.infinity
        }

        /// Requests without a filter, and with filters that let nothing through, one, a few, half and all.
        func requests(_ count: Int, filtered: Bool, _ random: inout SeededGenerator) -> [VectorRequest] {
            (0..<count).map { number in
                var request = VectorRequest(
                    query: Self.unit(random.vector(index.dimensions)),
                    wanted: [1, 3, 10, 40, ids.count + 5].randomElement(using: &random) ?? 10)
                if filtered, number % 3 != 0 {
                    var passed = Bitmap(capacity: ids.count)
                    let share: Double = [0, 0.02, 0.5, 1].randomElement(using: &random) ?? 1
                    for ordinal in ids.indices where alive[ordinal] && Double.random(in: 0..<1, using: &random) < share
                    {
                        passed[ordinal] = true
                    }
                    request.passed = passed
                }
                return request
            }
        }

        /// The results of a pass in which several threads take part at once, and some too late.
        func results(_ requests: [VectorRequest], _ plan: PanelPlan, threads: Int = 4) -> [VectorLegResult] {
            let pass = VectorPass(index: index, ids: Column(ids), alive: alive, requests: requests, plan: plan)
            DispatchQueue.concurrentPerform(iterations: threads) { _ in pass.participate() }
            pass.participate()
            return requests.indices.map(pass.result)
        }
    }

    static let plans = [
        PanelPlan.never, PanelPlan(fromQueries: 2, usesBLAS: false), PanelPlan(fromQueries: 2, usesBLAS: true),
    ]

    func check(_ reference: BruteForceIndex, _ requests: [VectorRequest], _ plans: [PanelPlan] = plans) {
        let expected = requests.map(reference.expected)
        for (request, hits) in zip(requests, expected) {
            let right = hits.prefix(3).allSatisfy { abs($0.score - reference.score($0.ordinal, request.query)) < 1e-5 }
            #expect(right)
        }
        for plan in plans {
            let found = reference.results(requests, plan).map(\.hits)
            for (number, hits) in found.enumerated() {
                #expect(hits == expected[number], "request \(number) of \(requests.count), \(plan)")
            }
        }
    }

    @Test(.slow, arguments: [1, 2, 3, 5, 15, 16, 17, 31, 33, 48, 63, 64], [false, true])
    func `every request of a batch finds what brute force finds`(batch: Int, filtered: Bool) {
        var random = SeededGenerator(UInt64(batch))
        // Longer vectors make tiles small, so that there are stretches for all threads.
        for (dimensions, documents) in [(7, 300), (1024, 260)] {
            let reference = BruteForceIndex(
                seed: UInt64(batch * dimensions), dimensions: dimensions, documents: documents)
            let requests = reference.requests(batch, filtered: filtered, &random)
            check(reference, requests)
        }
    }

    @Test(.slow, arguments: plans) func `a document with several passages is found once, with its best one`(
        plan: PanelPlan
    ) {
        var random = SeededGenerator(3)
        for (dimensions, distinct) in [(5, nil), (33, 40), (1024, nil)] as [(Int, Int?)] {
            let reference = BruteForceIndex(
                seed: UInt64(dimensions), dimensions: dimensions, documents: 120, passages: 6, distinct: distinct)
            #expect(reference.index.hasPassages)
            let requests = reference.requests(24, filtered: true, &random)
            check(reference, requests, [plan])
        }
    }

    /// A panel's rounding may put another passage first than the final scores do.
    @Test(.slow, arguments: plans) func `passages that differ in the last bits are told apart by their final scores`(
        plan: PanelPlan
    ) {
        var random = SeededGenerator(4)
        for dimensions in [17, 100, 384] {
            let reference = BruteForceIndex(
                seed: UInt64(dimensions), dimensions: dimensions, documents: 150, passages: 5, twins: true)
            let requests = reference.requests(20, filtered: false, &random)
            check(reference, requests, [plan])
        }
    }

    /// More ties than a panel keeps to spare: it cannot know who belongs among the best, and the scan is done anew.
    @Test(arguments: plans, [1, 2, 5]) func `many equal vectors are ordered by id`(plan: PanelPlan, distinct: Int) {
        var random = SeededGenerator(5)
        for dimensions in [3, 96, 768] {
            let reference = BruteForceIndex(
                seed: UInt64(distinct), dimensions: dimensions, documents: 260, passages: distinct, distinct: distinct)
            let requests = reference.requests(9, filtered: true, &random)
            check(reference, requests, [plan])
        }
    }

    @Test func `a score has the same bits alone, in a batch and behind a filter`() {
        var random = SeededGenerator(6)
        for dimensions in [1, 16, 100, 384] {
            let reference = BruteForceIndex(seed: 6, dimensions: dimensions, documents: 200)
            var requests = reference.requests(30, filtered: false, &random)
            for place in requests.indices { requests[place].wanted = reference.ids.count }
            let batch = reference.results(requests, Self.plans[2])
            for (number, request) in requests.enumerated() {
                var narrow = request
                narrow.passed = Bitmap(capacity: reference.ids.count)
                for hit in batch[number].hits where hit.ordinal % 7 == 0 { narrow.passed?[hit.ordinal] = true }
                let alone = reference.results([request], .never)[0].hits
                #expect(alone == batch[number].hits)
                #expect(reference.results([narrow], .never)[0].hits == alone.filter { $0.ordinal % 7 == 0 })
            }
        }
    }

    @Test(arguments: plans) func `who comes after the work is done changes nothing`(plan: PanelPlan) {
        var random = SeededGenerator(8)
        let reference = BruteForceIndex(seed: 8, dimensions: 48, documents: 90, passages: 2)
        let requests = reference.requests(5, filtered: false, &random)
        let pass = VectorPass(
            index: reference.index, ids: Column(reference.ids), alive: reference.alive, requests: requests, plan: plan)
        pass.participate()
        let first = requests.indices.map { pass.result(of: $0) }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in pass.participate() }
        for (number, result) in first.enumerated() {
            #expect(pass.result(of: number).hits == result.hits)
            #expect(pass.result(of: number).bytesScanned == result.bytesScanned)
        }
        #expect(first.map(\.hits) == requests.map(reference.expected))
    }

    @Test func `rows that a filter excludes are not read, and each row is read once`() {
        var random = SeededGenerator(9)
        let reference = BruteForceIndex(seed: 9, dimensions: 1024, documents: 300)
        let rowBytes = 1024 * MemoryLayout<Float>.stride
        var requests = reference.requests(2, filtered: false, &random)
        requests[1].passed = Bitmap(capacity: reference.ids.count)
        for ordinal in 0..<10 { requests[1].passed?[ordinal] = true }
        let results = reference.results(requests, .never)
        #expect(results[0].bytesScanned == reference.index.rows * rowBytes)
        #expect(results[1].bytesScanned < 30 * rowBytes)
        #expect(results.map(\.batch) == [2, 2])
    }

    @Test func `an index without rows has no answer and no trouble`() {
        let index = VectorIndex(dimensions: 4)
        let request = VectorRequest(query: [1, 0, 0, 0], wanted: 5)
        for plan in Self.plans {
            let pass = VectorPass(
                index: index, ids: Column(), alive: Bitmap(capacity: 0), requests: [request, request], plan: plan)
            #expect(pass.maxWorkers == 1)
            pass.participate()
            #expect(pass.result(of: 1).hits.isEmpty)
        }
    }
}
