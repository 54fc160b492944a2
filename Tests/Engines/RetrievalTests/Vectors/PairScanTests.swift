import Synchronization
import TestSupport
import Testing

@testable import Retrieval

/// The search for near pairs against a comparison of all rows, which has to give the same pairs with the same scores.
@Suite struct PairScans {
    /// The kinds of rows that a test mixes.
    enum Kind: CaseIterable { case random, planted, duplicates, odd }

    /// Vectors of documents with one to `passages` rows. Stored rows may be anything.
    private func vectors(_ kind: Kind, _ count: Int, _ dimensions: Int, _ passages: Int, _ seed: UInt64) -> VectorIndex
    {
        var random = SeededGenerator(seed)
        var index = VectorIndex(dimensions: dimensions)
        let centres = (0..<9).map { _ in random.vector(dimensions) }
        for ordinal in 0..<count {
            var rows: [Float] = []
            for _ in 0..<Int.random(in: 1...passages, using: &random) {
                var row = random.vector(dimensions)
                switch kind {
                case .random: break
                case .planted, .odd:
                    let centre = centres[Int.random(in: 0..<9, using: &random)]
                    row = zip(row, centre).map { $0 * 0.4 + $1 }
                case .duplicates:
                    let centre = centres[Int.random(in: 0..<3, using: &random)]
                    if ordinal % 5 > 0 { row = centre }
                }
                row = UnitVector.normalised(row) ?? row
                if kind == .odd {
                    switch Int.random(in: 0..<12, using: &random) {
                    case 0: row = row.map { _ in 0 }
                    case 1: row[ordinal % dimensions] = .nan
                    case 2: row[ordinal % dimensions] = .infinity
                    case 3: row = row.map { $0 * 1000 }
                    case 4: row = row.map { $0 * 1e-20 }
                    default: break
                    }
                }
                rows += row
            }
            index.set(rows, at: ordinal)
        }
        // Dead rows lie between the others.
        for ordinal in stride(from: 3, to: count, by: 17) {
            index.set(index.vectors(at: ordinal) ?? [], at: ordinal)
        }
        return index
    }

    private struct Neighbour {
        var id: Int64
        var score: Float
    }

    /// The best score of each two documents, of all rows with all rows; nil when no finite rows meet.
    private func scores(_ vectors: VectorIndex, _ count: Int) -> [[Float?]] {
        let rows = (0..<count).map { ordinal -> [(row: Int, values: [Float])] in
            let (own, places) = (vectors.vectors(at: ordinal) ?? [], vectors.rows(of: ordinal))
            return places.map { row in
                let start = (row - places.lowerBound) * vectors.dimensions
                return (row, Array(own[start..<start + vectors.dimensions]))
            }.filter { $0.values.allSatisfy(\.isFinite) }
        }
        var best = [[Float?]](repeating: Array(repeating: nil, count: count), count: count)
        for ordinal in 0..<count {
            for other in 0..<ordinal {
                for own in rows[ordinal] {
                    for its in rows[other] {
                        let score = vectors.score(of: own.values, row: its.row)
                        best[ordinal][other] = max(best[ordinal][other] ?? -.infinity, score)
                    }
                }
                best[other][ordinal] = best[ordinal][other]
            }
        }
        return best
    }

    /// The pairs of `targets` with all documents.
    private func oracle(
        _ scores: [[Float?]], _ ids: [Int64], _ targets: ArraySlice<Int>, _ options: NearPairOptions
    ) -> Set<NearPair> {
        var found: Set<NearPair> = []
        for ordinal in targets {
            var near: [Neighbour] = []
            for (other, score) in scores[ordinal].enumerated() {
                if let score, score >= options.minSimilarity { near.append(Neighbour(id: ids[other], score: score)) }
            }
            near.sort { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id }
            for other in near.prefix(options.neighbours) {
                found.insert(
                    NearPair(
                        first: min(ids[ordinal], other.id), second: max(ids[ordinal], other.id),
                        similarity: min(1, other.score)))
            }
        }
        return found
    }

    private func scanned(
        _ vectors: VectorIndex, _ ordinals: [Int], _ ids: [Int64], targets: Int, _ options: NearPairOptions,
        _ limits: PairLimits
    ) -> Set<NearPair> {
        let rows = PairRows(vectors: vectors, ordinals: ordinals, ids: Column(ids), targets: targets, limits: limits)
        let scan = PairScan(rows: rows, options: options, limits: limits, underWay: .init { false })
        var found: Set<NearPair> = []
        var last = ordinals.count - targets
        while let block = scan.nextBlock() {
            #expect(block.lowerBound == last)
            last = block.upperBound
            let pairs = scan.pairs(of: block) ?? []
            #expect(Set(pairs).count == pairs.count)
            found.formUnion(pairs)
        }
        #expect(last == ordinals.count)
        return found
    }

    /// Small blocks, tiles, spans and memory for codes.
    private static let limits = [
        PairLimits(), PairLimits(blockRows: 50, tilePanels: 1),
        PairLimits(blockRows: 64, tilePanels: 2, codeBytes: 6_000, neighbours: 700),
        PairLimits(blockRows: 7, tilePanels: 3, codeBytes: 0, neighbours: 150),
    ]

    @Test(.slow, arguments: Kind.allCases, [(1, 30), (3, 10)])
    func `pairs and scores equal those of all rows with all rows`(kind: Kind, shape: (passages: Int, neighbours: Int)) {
        let count = 150
        var random = SeededGenerator(7)
        for dimensions in [5, 64] {
            let vectors = vectors(kind, count, dimensions, shape.passages, UInt64(dimensions))
            let scores = scores(vectors, count)
            let ids = (0..<count).map { Int64($0 * 3 - 100) }.shuffled(using: &random)
            let ordinals = Array(0..<count).shuffled(using: &random)
            for least in [-1, 0, 0.3, 0.9] as [Float] {
                let options = NearPairOptions(minSimilarity: least, neighbours: shape.neighbours)
                let limits = Self.limits[Int.random(in: 0..<Self.limits.count, using: &random)]
                let targets = Bool.random(using: &random) ? count : Int.random(in: 1...count, using: &random)
                let expected = oracle(scores, ids, ordinals.suffix(targets), options)
                let found = scanned(vectors, ordinals, ids, targets: targets, options, limits)
                #expect(found == expected, "\(kind), \(dimensions) dimensions, from \(least), \(targets), \(limits)")
            }
        }
    }

    @Test func `each size of blocks, tiles and memory gives the same`() {
        let vectors = vectors(.planted, 300, 24, 2, 3)
        let scores = scores(vectors, 300)
        let (ids, ordinals) = ((0..<300).map(Int64.init), Array(0..<300))
        let options = NearPairOptions(minSimilarity: 0.5, neighbours: 6)
        for targets in [300, 33, 1] {
            let expected = oracle(scores, ids, ordinals.suffix(targets), options)
            #expect(!expected.isEmpty)
            for limits in Self.limits {
                #expect(scanned(vectors, ordinals, ids, targets: targets, options, limits) == expected)
            }
        }
    }

    @Test func `a document with more rows than a block is compared as a whole`() {
        var random = SeededGenerator(9)
        var vectors = VectorIndex(dimensions: 8)
        for ordinal in 0..<40 {
            let count = ordinal % 10 == 0 ? 70 : 1
            vectors.set((0..<count).flatMap { _ in UnitVector.normalised(random.vector(8)) ?? [] }, at: ordinal)
        }
        let (ids, ordinals) = ((0..<40).map(Int64.init), Array(0..<40))
        let options = NearPairOptions(minSimilarity: 0.6, neighbours: 3)
        let expected = oracle(scores(vectors, 40), ids, ordinals[...], options)
        let limits = PairLimits(blockRows: 16, tilePanels: 1)
        #expect(scanned(vectors, ordinals, ids, targets: 40, options, limits) == expected)
    }

    @Test func `the search waits a little while others search, and goes on`() {
        let vectors = vectors(.planted, 100, 8, 1, 5)
        let (ids, ordinals) = ((0..<100).map(Int64.init), Array(0..<100))
        let options = NearPairOptions(minSimilarity: 0.5, neighbours: 6)
        let limits = PairLimits(blockRows: 50, tilePanels: 1, pauseMicroseconds: 1_000)
        let asked = Atomic(0)
        let rows = PairRows(vectors: vectors, ordinals: ordinals, ids: Column(ids), targets: 100, limits: limits)
        let scan = PairScan(
            rows: rows, options: options, limits: limits,
            underWay: .init {
                asked.add(1, ordering: .relaxed)
                return true
            })
        var found: Set<NearPair> = []
        while let block = scan.nextBlock() { found.formUnion(scan.pairs(of: block) ?? []) }
        #expect(found == oracle(scores(vectors, 100), ids, ordinals[...], options))
        // Two blocks, the second with the tiles from its own on: each tile asks at most twice.
        #expect(asked.load(ordering: .relaxed) > 4 && asked.load(ordering: .relaxed) <= 16)
        let stopped = PairScan(rows: rows, options: options, limits: limits, underWay: .init { false })
        stopped.cancel()
        #expect(stopped.nextBlock().flatMap(stopped.pairs(of:)) == nil)
    }

    @Test func `new documents among all give what all of them give`() async throws {
        var random = SeededGenerator(4)
        let index = HybridIndex(dimensions: 16)
        var update = IndexUpdate()
        let centres = (0..<5).map { _ in random.vector(16) }
        for id in Int64(1)...500 {
            let vector = zip(centres[Int(id) % 5], random.vector(16)).map { $0 + 0.5 * $1 }
            update.documents.append(RetrievalDocument(id: id, title: "", text: ""))
            update.vectors.append(VectorEntry(id: id, values: vector))
        }
        try index.apply(update)
        let options = NearPairOptions(minSimilarity: 0.6, neighbours: 5)
        let limits = PairLimits(blockRows: 40, tilePanels: 2)
        func pairs(_ chosen: Set<Int64>?, after: Int64? = nil) async throws -> Set<NearPair> {
            var found: Set<NearPair> = []
            var done = 0
            try await index.nearPairs(options, after: after, of: chosen, limits: limits) { block in
                found.formUnion(block.pairs)
                #expect(block.done > done && block.done <= block.total && block.total == chosen?.count ?? 500)
                done = block.done
            }
            return found
        }
        let (odd, even) = (Set(stride(from: Int64(1), to: 501, by: 2)), Set(stride(from: Int64(2), to: 501, by: 2)))
        let all = try await pairs(nil)
        let (left, right) = (try await pairs(odd), try await pairs(even))
        #expect(left.union(right) == all)
        let few: Set<Int64> = [3, 77, 400, 499]
        let some = try await pairs(few)
        #expect(some.isSubset(of: all) && some.allSatisfy { few.contains($0.first) || few.contains($0.second) })
        let (later, none, ofNone) = (
            try await pairs(few, after: 77), try await pairs(few, after: 499), try await pairs([])
        )
        #expect(later.isSubset(of: some) && !later.isEmpty && none.isEmpty && ofNone.isEmpty)
        // Work goes on after any document.
        for id in [1, 39, 40, 41, 250, 499] as [Int64] {
            let head = try await pairs(Set(1...id))
            let tail = try await pairs(nil, after: id)
            #expect(tail.union(head) == all)
        }
    }
}
