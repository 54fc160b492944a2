import Finding
import GatewayAPI

/// Puts the hits of all kinds into one order.
///
/// Scores of the kinds' own searches cannot be compared: a fused score, a cosine, and no score at all. What can be compared is what a
/// reader sees: how many of the words a hit has, whether its title has them, and how its own search ranks it. So each hit has an
/// evidence from 0 to 1,
///
///     0.55 · words + 0.15 · words in the title + 0.10 if the title is the text + 0.20 / (1 + (rank − 1) / 8)
///
/// Words weigh most: a message with all words is nearer to what was typed than the best note with half of them. The rank lets hits by
/// meaning alone stand above those that share a common word, and falls slowly, since the second hit of a search is often as good as
/// its first.
///
/// A score is the greatest evidence of a hit and those that its own search ranks below it. So the order within a kind is always that
/// of its own search, which knows more than words: a list of one kind is that search.
struct FindRanking {
    /// Weights of the evidence; their sum is 1.
    static let wordWeight = 0.55
    static let titleWeight = 0.15
    static let exactTitleWeight = 0.10
    static let rankWeight = 0.20
    /// The rank, behind the first, at which the share of the rank is half.
    static let halfRank = 8.0
    /// The most hits of a book or a session, so that one does not fill the list.
    static let mostInGroup = 3

    /// A ranked candidate.
    struct Ranked: Sendable {
        var kind: FindKind
        var candidate: FindCandidate
        var evidence: FindEvidence
        var score: Double
        /// Hits of its group that are left out; only with the first of the group.
        var more: Int?
    }

    /// Ranks the candidates of all kinds. Equal scores have the order of the kinds.
    ///
    /// - Parameter lists: Of each kind, what its own search found, best first.
    static func ranked(
        _ lists: [(kind: FindKind, found: [(candidate: FindCandidate, evidence: FindEvidence)], others: [String: Int])]
    ) -> [Ranked] {
        var all: [(order: Int, rank: Int, hit: Ranked)] = []
        for (order, list) in lists.enumerated() {
            var best = 0.0
            for (rank, item) in list.found.enumerated().reversed() {
                best = max(best, score(item.evidence))
                all.append(
                    (
                        order, rank,
                        Ranked(kind: list.kind, candidate: item.candidate, evidence: item.evidence, score: best)
                    ))
            }
        }
        all.sort { ($1.hit.score, $0.rank, $0.order) < ($0.hit.score, $1.rank, $1.order) }
        var others: [String: Int] = [:]
        for list in lists {
            for (group, count) in list.others { others["\(list.kind.rawValue) \(group)"] = count }
        }
        return grouped(all.map(\.hit), others)
    }

    private static func score(_ evidence: FindEvidence) -> Double {
        wordWeight * evidence.coverage + titleWeight * evidence.title
            + (evidence.isExactTitle ? exactTitleWeight : 0)
            + rankWeight / (1 + Double(evidence.rank - 1) / halfRank)
    }

    /// Leaves out what one book or session has too much of, and counts it.
    private static func grouped(_ hits: [Ranked], _ others: [String: Int]) -> [Ranked] {
        var (kept, counts, firsts) = ([Ranked](), [String: Int](), [String: Int]())
        for hit in hits {
            guard let group = hit.candidate.group.map({ "\(hit.kind.rawValue) \($0)" }) else {
                kept.append(hit)
                continue
            }
            counts[group, default: 0] += 1
            guard counts[group, default: 0] <= mostInGroup else { continue }
            if firsts[group] == nil { firsts[group] = kept.count }
            kept.append(hit)
        }
        for (group, place) in firsts {
            let more = max(0, counts[group, default: 0] - mostInGroup) + (others[group] ?? 0)
            if more > 0 { kept[place].more = more }
        }
        return kept
    }
}
