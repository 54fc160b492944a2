import Finding
import GatewayAPI
import Testing

@testable import Find

/// The order of hits of several kinds.
@Suite struct OrderOfKinds {
    private func evidence(_ rank: Int, coverage: Double, title: Double = 0, exact: Bool = false) -> FindEvidence {
        var found = FindEvidence(FindCandidate(id: "", title: "", text: ""), rank: rank, words: [], text: "")
        (found.coverage, found.title, found.isExactTitle) = (coverage, title, exact)
        return found
    }

    private func item(_ id: String, _ evidence: FindEvidence, group: String? = nil) -> (FindCandidate, FindEvidence) {
        var candidate = FindCandidate(id: id, title: id, text: "")
        candidate.group = group
        return (candidate, evidence)
    }

    private func order(
        _ lists: [(FindKind, [(FindCandidate, FindEvidence)])], others: [String: Int] = [:]
    ) -> [FindRanking.Ranked] {
        FindRanking.ranked(lists.map { (kind: $0.0, found: $0.1, others: others) })
    }

    @Test func `all words of one kind stand above some words of another`() {
        let ranked = order([
            (.notes, [item("n1", evidence(1, coverage: 0.5)), item("n2", evidence(2, coverage: 0.5))]),
            (.chats, [item("c1", evidence(1, coverage: 1))]),
        ])
        #expect(ranked.map(\.candidate.id) == ["c1", "n1", "n2"])
    }

    @Test func `an exact title is first, and equal hits have the order of the kinds`() {
        let ranked = order([
            (.notes, [item("n1", evidence(1, coverage: 1))]), (.books, [item("b1", evidence(1, coverage: 1))]),
            (.goals, [item("g1", evidence(1, coverage: 1, title: 1, exact: true))]),
        ])
        #expect(ranked.map(\.candidate.id) == ["g1", "n1", "b1"])
        #expect(ranked.map { ($0.score * 1000).rounded() } == [1000, 750, 750])
    }

    @Test func `the order within a kind is that of its own search`() {
        let found = [(1, 0.0), (2, 1), (3, 0.2), (4, 0.9), (5, 0)].map {
            item("n\($0.0)", evidence($0.0, coverage: $0.1))
        }
        let ranked = order([(.notes, found), (.chats, [item("c1", evidence(1, coverage: 0.5))])])
        #expect(ranked.filter { $0.kind == .notes }.map(\.candidate.id) == ["n1", "n2", "n3", "n4", "n5"])
        // What its own search ranks above a good hit is worth as much.
        #expect(ranked.map(\.candidate.id) == ["n1", "n2", "n3", "n4", "c1", "n5"])
    }

    @Test func `a book has three hits, and the first counts the rest`() {
        let passages = (1...7).map { item("7", evidence($0, coverage: 1), group: "7") }
        let ranked = order([(.books, passages), (.notes, [item("n", evidence(1, coverage: 0.1))])], others: ["7": 5])
        #expect(ranked.map(\.kind) == [.books, .books, .books, .notes])
        #expect(ranked.map(\.more) == [9, nil, nil, nil])
    }
}
