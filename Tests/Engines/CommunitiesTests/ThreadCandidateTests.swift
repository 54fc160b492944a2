import Communities
import TestSupport
import Testing

/// What is proposed for communities beside the threads that exist.
@Suite struct ThreadCandidatesOfCommunities {
    private func thread(_ id: Int64, _ notes: [Int64], isActive: Bool = true) -> ExistingThread {
        ExistingThread(id: id, isActive: isActive, notes: notes)
    }

    private func find(_ communities: [[Int64]], _ threads: [ExistingThread]) -> [ThreadCandidate] {
        ThreadCandidates().find(communities: communities, threads: threads)
    }

    @Test func `notes in no thread become a new one, four or more`() {
        #expect(find([[1, 2, 3, 4], [7, 8, 9]], []) == [ThreadCandidate(kind: .new, parts: [[1, 2, 3, 4]])])
    }

    @Test func `a community joins the thread that has most of its notes`() {
        let threads = [thread(1, [1, 2]), thread(2, [3, 4, 5]), thread(3, [99])]
        #expect(
            find([[1, 2, 3, 4, 5, 6, 7]], threads) == [ThreadCandidate(kind: .join, thread: 2, parts: [[6, 7]])])
        // One note alone does not join, and nothing joins a thread that a person has closed.
        #expect(find([[1, 2, 6]], threads) == [])
        #expect(find([[1, 2, 6, 7, 8, 9]], [thread(1, [1, 2], isActive: false)]) == [])
    }

    @Test func `few shared notes do not make a community part of a thread`() {
        let large = thread(1, Array(1...3) + Array(100...120))
        #expect(
            find([Array(1...20)], [large]) == [ThreadCandidate(kind: .new, parts: [Array(4...20)])])
    }

    @Test func `a thread that has grown apart is split into its parts, the greatest first`() {
        let found = find(
            [[1, 2, 3, 4], [11, 12, 13, 14, 15], [21, 22]], [thread(7, [1, 2, 3, 4, 11, 12, 13, 14, 15, 21, 22])])
        #expect(found == [ThreadCandidate(kind: .split, thread: 7, parts: [[11, 12, 13, 14, 15], [1, 2, 3, 4]])])
        #expect(find([[1, 2, 3, 4, 5, 6, 7, 8]], [thread(7, Array(1...8))]) == [])
    }

    @Test(arguments: 1...20)
    func `the order of threads and of their notes changes nothing, and no note is proposed twice`(_ number: Int) {
        var random = SeededGenerator(UInt64(number))
        var communities: [[Int64]] = []
        for group in 0..<12 {
            communities.append((0..<Int.random(in: 2...12, using: &random)).map { Int64(group * 20 + $0) })
        }
        let threads = (1...8).map { id in
            thread(
                Int64(id), Array(Set((0..<12).map { _ in Int64.random(in: 0..<240, using: &random) })),
                isActive: id % 4 > 0)
        }
        let expected = find(communities, threads)
        let other = threads.shuffled(using: &random).map {
            thread($0.id, $0.notes.shuffled(using: &random), isActive: $0.isActive)
        }
        #expect(find(communities, other) == expected)
        let taken = Set(threads.flatMap(\.notes))
        let proposed = expected.filter { $0.kind != .split }.flatMap(\.notes)
        #expect(Set(proposed).count == proposed.count && taken.isDisjoint(with: proposed))
        for split in expected where split.kind == .split {
            #expect(Set(split.notes).isSubset(of: threads.first { $0.id == split.thread }?.notes ?? []))
        }
    }

    @Test func `momentum halves in a week and does not depend on the order`() {
        let now: Int64 = 1_800_000_000
        #expect(ThreadMomentum.score([now], now: now) == 1)
        #expect(ThreadMomentum.score([now - 7 * 86_400], now: now) == 0.5)
        #expect(ThreadMomentum.score([now - 140 * 86_400, .min, 0], now: now) == 0)
        #expect(ThreadMomentum.score([now + 900], now: now) == 1)
        var random = SeededGenerator(1)
        let times = (0..<500).map { _ in now - Int64.random(in: 0..<12_000_000, using: &random) }
        #expect(ThreadMomentum.score(times, now: now) == ThreadMomentum.score(times.shuffled(using: &random), now: now))
        var last = 2.0
        for day in 0..<150 {
            let score = ThreadMomentum.score([now - Int64(day) * 86_400], now: now)
            #expect(score < last || score == 0)
            last = score
        }
    }

    @Test func `threads heat, cool and sleep`() {
        #expect(ThreadHeat.of(recent: 3, before: 0) == .heating)
        #expect(ThreadHeat.of(recent: 3, before: 6) == .steady)
        #expect(ThreadHeat.of(recent: 2, before: 0) == .steady)
        #expect(ThreadHeat.of(recent: 0, before: 4) == .cooling)
        #expect(ThreadHeat.of(recent: 1, before: 8) == .steady)
        #expect(ThreadHeat.of(recent: 1, before: 9) == .cooling)
        #expect(ThreadHeat.of(recent: 0, before: 0) == .dormant)
        #expect(ThreadHeat.of(recent: .max, before: .min) == .heating)
    }

    @Test func `names are words that are frequent in the group and rare elsewhere`() {
        var terms = DistinctiveTerms()
        for number in 0..<50 { terms.add("Walk number \(number) in the rain, with tea") }
        let group = [
            "Roof leak again", "The roof: surveyor called", "Tea on the roof, leak fixed", "Surveyor's letter, ROOF",
        ]
        #expect(
            terms.terms(of: group) == ["roof", "Surveyor", "leak"]
                || terms.terms(of: group).first?.lowercased() == "roof")
        #expect(terms.terms(of: group) == terms.terms(of: group.reversed()))
        #expect(!terms.terms(of: group).contains { ["tea", "the", "on"].contains($0.lowercased()) })
        #expect(DistinctiveTerms().terms(of: ["und die 12 34", "", "\u{0}\u{1}"]) == [])
    }
}
