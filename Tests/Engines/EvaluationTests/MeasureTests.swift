import Foundation
import Testing

@testable import Evaluation

struct SignificanceTests {
    private func compare(_ differences: [Double], seed: UInt64 = 1) throws -> Significance {
        let a = Dictionary(uniqueKeysWithValues: differences.enumerated().map { ("q\($0)", $1) })
        return try Significance.compare(a, a.mapValues { _ in 0 }, seed: seed)
    }

    @Test func `a small comparison is exact`() throws {
        // |±1 ±1 ±1 ±1| ≥ 2 for all but the 6 even splits of 16.
        let result = try compare([1, 1, 1, -1])
        #expect(result.isExact && result.queries == 4)
        #expect(result.pValue == 10.0 / 16)
        #expect(result.meanDifference == 0.5)
        #expect(abs(result.minimumDetectable - 1.4) < 1e-12)
        #expect(try #require(result.warning).contains("+0.500 is smaller than 1.400"))
        // Only all plus and all minus reach a sum of 0.6; in doubles 0.1 + 0.2 + 0.3 depends on the order.
        #expect(try compare([0.1, 0.2, 0.3]).pValue == 0.25)
        #expect(try compare([0.3, 0.2, 0.1]).pValue == 0.25)
    }

    @Test func `equal systems do not differ`() throws {
        for count in [1, 10, 40] {
            let result = try compare(Array(repeating: 0, count: count))
            #expect(result.pValue == 1 && result.meanDifference == 0)
            #expect(result.confidenceLow == 0 && result.confidenceHigh == 0)
        }
    }

    @Test func `the sampled test is near the exact one`() throws {
        // Sixteen queries are tried out in full; a seventeenth without a difference changes nothing but the method.
        let differences = [0.1, -0.05, 0.2, 0.02, -0.1, 0.04, 0.3, -0.2, 0.01, 0.15, 0.07, -0.03, 0.1, 0, -0.06, 0.12]
        let exact = try compare(differences)
        let sampled = try compare(differences + [0])
        #expect(exact.isExact && !sampled.isExact)
        #expect(abs(exact.pValue - sampled.pValue) < 0.02)
        #expect(exact.pValue > 0.01 && exact.pValue < 0.3)
    }

    @Test func `a clear difference is clear, and the interval is near the normal one`() throws {
        var random = SplitMix64(seed: 3)
        let differences = (0..<200).map { _ in Double(random.next(below: 1000)) / 1000 - 0.4 }
        let result = try compare(differences)
        let mean = differences.reduce(0, +) / 200
        let deviation = (differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 199).squareRoot()
        let half = 1.96 * deviation / 200.0.squareRoot()
        #expect(abs(result.confidenceLow - (mean - half)) < 0.1 * half)
        #expect(abs(result.confidenceHigh - (mean + half)) < 0.1 * half)
        #expect(result.pValue < 0.001 && result.pValue > 0)
        #expect(result.warning == nil)
    }

    @Test func `the same seed gives the same figures, and another one nearly the same`() throws {
        let differences = (0..<50).map { sin(Double($0)) / 3 }
        #expect(try compare(differences, seed: 5) == compare(differences, seed: 5))
        let (first, second) = (try compare(differences, seed: 5), try compare(differences, seed: 6))
        #expect(first.confidenceLow != second.confidenceLow)
        #expect(abs(first.confidenceLow - second.confidenceLow) < 0.01)
    }

    @Test func `different or no queries are refused`() {
        #expect(message { _ = try Significance.compare([:], [:]) }.contains("no queries"))
        #expect(message { _ = try Significance.compare(["a": 1], ["b": 1]) }.contains("different queries"))
    }

    @Test func `the generator is SplitMix64`() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }
}

struct LatencyTests {
    @Test func `percentiles are nearest-rank`() throws {
        let summary = try #require(LatencySummary((1...100).map(Double.init).reversed()))
        #expect([summary.p50, summary.p90, summary.p95, summary.p99] == [50, 90, 95, 99])
        #expect(summary.mean == 50.5 && summary.max == 100)
        let few = try #require(LatencySummary([3, 1, 2]))
        #expect([few.p50, few.p90, few.p99, few.mean, few.max] == [2, 3, 3, 2, 3])
    }

    @Test func `no times have no summary`() {
        #expect(LatencySummary([]) == nil)
        #expect(LatencySummary([.nan]) == nil)
    }
}

struct PerQueryTableTests {
    @Test func `wins, losses and ties are counted, and the largest come first`() {
        let a = ["1": 0.5, "2": 0.9, "3": 0.1, "4": 0.3, "5": 0.2, "only a": 1]
        let b = ["1": 0.5 + 1e-12, "2": 0.1, "3": 0.4, "4": 0.2, "5": 0.7, "only b": 1]
        let table = PerQueryTable(a, b, texts: ["2": "two"], largest: 1)
        #expect(table.wins == 2 && table.losses == 2 && table.ties == 1)
        #expect(table.largestGains == [.init(query: "2", text: "two", a: 0.9, b: 0.1)])
        #expect(table.largestLosses == [.init(query: "5", text: "", a: 0.2, b: 0.7)])
        #expect(table.differences == table.differences.sorted(by: >) && table.differences.count == 5)
    }
}

struct HalvesTests {
    @Test func `the hash is FNV-1a`() {
        #expect(QuerySplit.fnv1a("a") == 0xAF63_DC4C_8601_EC8C)
        #expect(QuerySplit.fnv1a("foobar") == 0x8594_4171_F739_67E8)
    }

    @Test func `halves are about equal, disjoint and lasting`() {
        let ids = (0..<1000).map(String.init)
        let (tuning, reporting) = QuerySplit.split(ids)
        #expect((450...550).contains(tuning.count))
        #expect(Set(tuning).isDisjoint(with: reporting) && tuning.count + reporting.count == 1000)
        // Neighbours must not alternate: queries are often numbered by topic.
        #expect((150...350).contains(tuning.count { (Int($0) ?? 0) % 2 == 0 }))
        #expect(Set(QuerySplit.split(ids.prefix(100)).tuning) == Set(tuning).intersection(ids.prefix(100)))
    }

    @Test func `judgements are split by query`() {
        let qrels = Qrels(grades: ["1": ["a": 1], "2": ["a": 1], "3": ["b": 1], "4": ["c": 2]])
        let (tuning, reporting) = QuerySplit.split(qrels)
        #expect(tuning.grades.merging(reporting.grades) { first, _ in first } == qrels.grades)
        #expect(tuning.queryCount + reporting.queryCount == 4)
    }
}
