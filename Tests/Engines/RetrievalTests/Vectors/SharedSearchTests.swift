import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// Searches that come together, that are too many, and that are called off.
@Suite struct SharedSearches {
    static let types = ["idea", "task", "journal"]

    static func documents(_ count: Int64, dimensions: Int, _ random: inout SeededGenerator) -> IndexUpdate {
        var update = IndexUpdate()
        for id in 0..<count {
            let words = (0..<4).map { _ in "w\(Int.random(in: 0..<9, using: &random))" }.joined(separator: " ")
            update.documents.append(
                RetrievalDocument(
                    id: id, title: "all", text: words, noteType: types[Int(id % 3)], createdAt: id))
            let passages = Int.random(in: 1...2, using: &random)
            update.vectors.append(
                VectorEntry(id: id, values: random.vector(dimensions * passages), passages: passages))
        }
        return update
    }

    func index(_ count: Int64 = 120, dimensions: Int = 20) throws -> HybridIndex {
        var random = SeededGenerator(1)
        let index = HybridIndex(dimensions: dimensions)
        try index.apply(Self.documents(count, dimensions: dimensions, &random))
        return index
    }

    func queries(_ count: Int, _ random: inout SeededGenerator) -> [HybridQuery] {
        (0..<count).map { number in
            var query = HybridQuery(
                text: "w\(number % 9) w3", vector: random.vector(20), mode: RetrievalMode.allCases[number % 3],
                limit: [1, 5, 50].randomElement(using: &random) ?? 5)
            if number % 4 == 3 { query.filter = Filter(noteTypes: [Self.types[number % 3]]) }
            if number % 5 == 4 { query.diversity = 0.3 }
            if number % 7 == 6 { query.plan = .int8 }
            return query
        }
    }

    func keys(_ result: HybridResult) -> [String] {
        result.hits.map { "\($0.id) \($0.score.bitPattern) \($0.passage ?? -1)" } + ["\(result.filterMatched)"]
    }

    @Test(arguments: [0, 1, 2, 17, 65, 200])
    func `searches at once find what each finds alone`(count: Int) async throws {
        var random = SeededGenerator(UInt64(count))
        let index = try index()
        index.encodeRows(for: [.int8]) { _, _ in }
        let queries = queries(count, &random)
        let alone = try queries.map { keys(try index.searchNow($0)) }
        #expect(try await index.search(queries).map(keys) == alone)
        var tasks: [[String]] = Array(repeating: [], count: count)
        try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for (number, query) in queries.enumerated() {
                group.addTask { (number, keys(try await index.search(query))) }
            }
            for try await (number, keys) in group { tasks[number] = keys }
        }
        #expect(tasks == alone)
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == 0)
    }

    @Test func `searches at once share a pass`() async throws {
        var random = SeededGenerator(2)
        let index = try index()
        let queries = (0..<40).map { _ in HybridQuery(text: "", vector: random.vector(20), mode: .vector) }
        #expect(try await index.search(queries).allSatisfy { $0.batch == 40 })
        #expect(try index.searchNow(queries[0]).batch == 1)
        // More than fit one pass.
        let many = try await index.search(queries + queries)
        #expect(Set(many.map(\.batch)) == [64, 16])
    }

    @Test func `two hundred searches go on while the index changes`() async throws {
        let index = HybridIndex(dimensions: 16)
        let rounds = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededGenerator(3)
                for round in 0..<rounds {
                    var update = Self.documents(30, dimensions: 16, &random)
                    // A round is whole: its documents replace those of the round before.
                    for place in update.documents.indices { update.documents[place].createdAt = Int64(round) }
                    try index.apply(update)
                    if round % 10 == 5 { index.encodeRows(for: [.int8, .binary]) { _, _ in } }
                }
            }
            for seed in 0..<200 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed)
                    var query = HybridQuery(text: "all", vector: random.vector(16), limit: 30)
                    query.mode = RetrievalMode.allCases[Int(seed % 3)]
                    query.plan = VectorPlan.allCases[Int(seed / 3 % 3)]
                    if seed % 5 == 0 { query.filter = Filter(since: Int64(seed % 40), until: Int64(seed % 40)) }
                    let result = try await index.search(query)
                    #expect(result.hits.isEmpty || result.hits.count == 30)
                    #expect(Set(result.hits.map(\.id)).count == result.hits.count)
                }
            }
            try await group.waitForAll()
        }
        #expect(index.statistics.documents == 30)
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == 0)
    }

    @Test func `too many searches are refused, and one that ends makes room`() async throws {
        let index = try index()
        let query = HybridQuery(text: "all", vector: [1] + Array(repeating: 0, count: 19))
        index.searchesUnderWay.store(HybridIndex.maxWaitingSearches, ordering: .relaxed)
        let refusal = await #expect(throws: RetrievalError.self) { try await index.search(query) }
        #expect(refusal?.code == .overloaded)
        #expect(throws: RetrievalError.self) { try index.searchNow(query) }
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == HybridIndex.maxWaitingSearches)
        index.searchesUnderWay.subtract(1, ordering: .relaxed)
        #expect(try index.searchNow(query).hits.count == 10)
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == HybridIndex.maxWaitingSearches - 1)
    }

    @Test func `several searches of which one is refused hold no place`() async throws {
        let index = try index()
        let good = HybridQuery(text: "all", mode: .keyword)
        let bad = HybridQuery(text: "all", mode: .keyword, limit: 0)
        let refusal = await #expect(throws: RetrievalError.self) { try await index.search([good, good, bad, good]) }
        #expect(refusal?.code == .invalidQuery)
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == 0)
        // The last of these has no room.
        index.searchesUnderWay.store(HybridIndex.maxWaitingSearches - 2, ordering: .relaxed)
        let overload = await #expect(throws: RetrievalError.self) { try await index.search([good, good, good]) }
        #expect(overload?.code == .overloaded)
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == HybridIndex.maxWaitingSearches - 2)
    }

    @Test func `a task that is called off does not begin a search`() async throws {
        let index = try index()
        let query = HybridQuery(text: "all", mode: .keyword)
        for isBatch in [false, true] {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await isBatch ? index.search([query, query]).count : index.search(query).hits.count
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == 0)
    }

    /// The task may be called off between the check and the beginning.
    @Test(arguments: RetrievalMode.allCases, [Filter(), Filter(noteTypes: ["idea"])])
    func `a search that is called off before its legs begin gives its place back`(
        mode: RetrievalMode, filter: Filter
    ) async throws {
        let index = try index()
        let query = HybridQuery(text: "all", vector: [1] + Array(repeating: 0, count: 19), mode: mode, filter: filter)
        let places = Atomic(1)
        let run = SearchRun(
            query: query, unit: query.vector, snapshot: index.snapshot, lane: index.lane, pool: index.pool
        ) { places.subtract(1, ordering: .relaxed) }
        run.cancel()
        await #expect(throws: CancellationError.self) {
            try await withCheckedThrowingContinuation { continuation in
                run.begin { continuation.resume(with: $0) }
            }
        }
        #expect(places.load(ordering: .relaxed) == 0)
    }

    @Test func `searches that are called off at any time end, and leak nothing`() async throws {
        let index = try index()
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<150 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed)
                    let query = HybridQuery(
                        text: "all", vector: random.vector(20),
                        filter: seed % 2 == 0 ? Filter() : Filter(noteTypes: ["idea"]))
                    let task = Task { try await index.search(query).hits.count }
                    for _ in 0..<seed % 8 { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success(let count): #expect(count == 10)
                    case .failure(let error): #expect(error is CancellationError)
                    }
                }
            }
        }
        #expect(index.searchesUnderWay.load(ordering: .relaxed) == 0)
    }
}
