import TestSupport
import Testing

@testable import Retrieval

/// The best rows of a stream against a full sort.
@Suite struct BestRows {
    /// Ids in no order of the ordinals.
    let ids: Column<Int64>

    init() {
        var random = SeededGenerator(77)
        ids = Column((Int64(-200)..<200).shuffled(using: &random))
    }

    func stream(_ count: Int, documents: Int, scores: Int, _ random: inout SeededGenerator) -> [RowCandidate] {
        (0..<count).map { row in
            RowCandidate(
                score: Float(Int.random(in: 0..<scores, using: &random)) - 3,
                ordinal: Int32(documents == count ? row : Int.random(in: 0..<documents, using: &random)),
                row: Int32(row))
        }
    }

    /// Each document once with its best row; equal scores by id, then by row.
    func oracle(_ candidates: [RowCandidate], _ wanted: Int) -> [Int32] {
        var seen: Set<Int32> = []
        return candidates.sorted {
            ($1.score, ids[Int($0.ordinal)], $0.row) < ($0.score, ids[Int($1.ordinal)], $1.row)
        }.filter { seen.insert($0.ordinal).inserted }.prefix(wanted).map(\.row)
    }

    func kept(_ candidates: [RowCandidate], _ wanted: Int, hasPassages: Bool, streams: Int = 1) -> [Int32] {
        var parts = (0..<streams).map { _ in TopRows(wanted, hasPassages: hasPassages) }
        for (number, candidate) in candidates.enumerated()
        where candidate.score >= parts[number % streams].threshold {
            parts[number % streams].offer(candidate, ids: ids)
        }
        var all = TopRows(wanted, hasPassages: hasPassages)
        for part in parts { all.merge(part, ids: ids) }
        return all.sorted(ids: ids).map(\.row)
    }

    @Test(arguments: [1, 2, 3, 10, 64, 100, 199, 200, 201, 300])
    func `keeps what a full sort keeps, in its order`(wanted: Int) {
        var random = SeededGenerator(UInt64(wanted))
        for distinct in [1, 2, 7, 1_000_000] {
            let candidates = stream(400, documents: 400, scores: distinct, &random)
            for order in [candidates, candidates.reversed(), candidates.shuffled(using: &random)] {
                for streams in [1, 3] {
                    let rows = kept(order, wanted, hasPassages: false, streams: streams)
                    #expect(rows == oracle(candidates, wanted))
                }
            }
        }
    }

    @Test(.slow, arguments: [1, 2, 3, 10, 64, 100, 199, 200, 201, 300])
    func `a document with several rows counts once, with its best`(wanted: Int) {
        var random = SeededGenerator(UInt64(wanted) + 1000)
        for distinct in [1, 3, 40, 1_000_000] {
            for documents in [1, 5, 250] {
                let candidates = stream(1500, documents: documents, scores: distinct, &random)
                for streams in [1, 4] {
                    let rows = kept(
                        candidates.shuffled(using: &random), wanted, hasPassages: true, streams: streams)
                    #expect(rows == oracle(candidates, wanted))
                }
            }
        }
    }

    @Test(.slow) func `every capacity keeps its share of ascending, descending and equal scores`() {
        for wanted in 1...300 {
            for shape in 0..<3 {
                let candidates = (0..<399).map { row in
                    RowCandidate(
                        score: shape == 0 ? 0 : Float(shape == 1 ? row : -row), ordinal: Int32(row), row: Int32(row))
                }
                #expect(kept(candidates, wanted, hasPassages: false) == oracle(candidates, wanted))
            }
        }
    }

    @Test func `no row at all, or fewer than wanted, is what is kept`() {
        #expect(kept([], 5, hasPassages: true).isEmpty)
        var random = SeededGenerator(4)
        let few = stream(3, documents: 3, scores: 2, &random)
        #expect(kept(few, 5, hasPassages: false) == oracle(few, 5))
    }

    @Test func `rows that were read add up`() {
        var (left, right) = (TopRows(1, hasPassages: false), TopRows(1, hasPassages: false))
        left.rowsRead = 3
        right.rowsRead = 4
        left.merge(right, ids: ids)
        #expect(left.rowsRead == 7)
    }
}
