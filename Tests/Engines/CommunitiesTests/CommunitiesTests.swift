import Communities
import TestSupport
import Testing

/// Communities of notes, compared with the same method written slowly, and with every possible grouping.
@Suite struct CommunitiesOfNotes {
    /// Random pairs: some dense groups, some pairs between them, some pairs twice.
    private func pairs(_ seed: UInt64, notes: Int, groups: Int, among: Int) -> [AlikePair] {
        var random = SeededGenerator(seed)
        return (0..<among).map { _ in
            let group = Int.random(in: 0..<groups, using: &random)
            func note() -> Int64 {
                let inGroup = Int.random(in: 0..<10, using: &random) > 0
                let number = Int.random(in: 0..<notes, using: &random)
                return Int64((inGroup ? number / groups * groups + group : number) * 7 - 30)
            }
            return AlikePair(note(), note(), weight: Int32.random(in: -5...1100, using: &random))
        }
    }

    @Test(arguments: 1...40)
    func `communities equal those of the slow method`(_ number: Int) {
        let seed = UInt64(number)
        let pairs = pairs(seed, notes: 4 + number, groups: 1 + number % 5, among: number * 3)
        let resolution = Int64([1, 20, 50, 200, 900][number % 5])
        let found = Communities(resolution: resolution).find(in: PairGraph(pairs))
        #expect(found == SlowCommunities(resolution: resolution).find(pairs), "seed \(seed)")
    }

    @Test(.slow, arguments: 1...30)
    func `the order and direction of pairs change nothing`(_ number: Int) {
        var random = SeededGenerator(UInt64(number))
        let pairs = pairs(UInt64(1000 + number), notes: 300, groups: 12, among: 1500)
        let expected = Communities().find(in: PairGraph(pairs))
        let other = pairs.shuffled(using: &random).map {
            Bool.random(using: &random) ? $0 : AlikePair($0.second, $0.first, weight: $0.weight)
        }
        #expect(Communities().find(in: PairGraph(other)) == expected)
        #expect(Set(expected.flatMap { $0 }).count == expected.map(\.count).reduce(0, +))
    }

    @Test(arguments: 1...12)
    func `no grouping of few notes is much better`(_ number: Int) {
        let pairs = pairs(UInt64(500 + number), notes: 8, groups: 2, among: 14).filter {
            $0.weight > 0 && $0.weight <= 1000
        }
        let slow = SlowCommunities(resolution: 200)
        let ids = Set(pairs.flatMap { [$0.first, $0.second] }).sorted()
        var best = Int64.min
        func group(_ rest: ArraySlice<Int64>, _ groups: [[Int64]]) {
            guard let note = rest.first else {
                best = max(best, slow.quality(groups, pairs.filter { $0.first != $0.second }))
                return
            }
            for place in groups.indices {
                var more = groups
                more[place].append(note)
                group(rest.dropFirst(), more)
            }
            group(rest.dropFirst(), groups + [[note]])
        }
        group(ids[...], [])
        let found = Communities(resolution: 200).find(in: PairGraph(pairs))
        let quality = slow.quality(found, pairs.filter { $0.first != $0.second })
        #expect(quality <= best && quality * 4 >= best * 3)
    }

    @Test func `groups that were planted are found, whatever else happens elsewhere`() {
        var random = SeededGenerator(5)
        func planted(_ groups: Range<Int>) -> [AlikePair] {
            groups.flatMap { group in
                (0..<60).flatMap { note in
                    (0..<8).map { _ in
                        AlikePair(
                            Int64(group * 100 + note), Int64(group * 100 + Int.random(in: 0..<60, using: &random)),
                            weight: Int32.random(in: 400...900, using: &random))
                    }
                }
            }
        }
        var pairs = planted(0..<20)
        for _ in 0..<200 {
            let (one, other) = (Int.random(in: 0..<20, using: &random), Int.random(in: 0..<20, using: &random))
            pairs.append(AlikePair(Int64(one * 100 + 3), Int64(other * 100 + 5), weight: 150))
        }
        let found = Communities().find(in: PairGraph(pairs))
        #expect(found == (0..<20).map { group in (0..<60).map { Int64(group * 100 + $0) } })
        // The measure is local: other notes that are not connected change nothing.
        let more = Communities().find(in: PairGraph(pairs + planted(50..<60)))
        #expect(Array(more.prefix(20)) == found)
    }

    @Test func `nothing, pairs with itself and extreme ids give no crash`() {
        #expect(Communities().find(in: PairGraph([])) == [])
        #expect(Communities().find(in: PairGraph([AlikePair(1, 1, weight: 5), AlikePair(1, 2, weight: 0)])) == [])
        let pair = AlikePair(.min, .max, weight: .max)
        #expect(Communities().find(in: PairGraph([pair])) == [[.min, .max]])
        #expect(AlikePair.weight(cosine: .nan, least: 0.7) == 100)
        #expect(AlikePair.weight(cosine: 1, least: 0.7) == 1000 && AlikePair.weight(cosine: 0.7, least: 0.7) == 100)
    }
}
