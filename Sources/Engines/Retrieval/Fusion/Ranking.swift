#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ranks newer documents higher.
public struct RecencyWeighting: Sendable, Hashable {
    /// The share of recency in the score, 0 to 1.
    public var weight: Double
    /// The age in seconds at which recency counts half.
    public var halfLife: Double
    /// Seconds since 1970.
    public var now: Int64

    /// Creates a weighting.
    public init(weight: Double, halfLife: Double, now: Int64) {
        self.weight = weight
        self.halfLife = halfLife
        self.now = now
    }

    /// 1 for now or later, ½ after a half-life: 2^(−age / halfLife).
    func share(of createdAt: Int64) -> Double { exp2(-max(0, Double(now) - Double(createdAt)) / halfLife) }
}

/// Turns the candidates of the legs into the list of hits.
struct Ranking {
    /// The best candidates, among which diversity chooses.
    static let diversityPool = 100

    let query: HybridQuery
    let snapshot: HybridIndex.Snapshot

    /// A document with its scores so far.
    private struct Placed {
        var fused: FusedHit
        /// The score that decides its rank.
        var score: Double
        var recency: Double?
        var penalty: Double?
    }

    /// The hits, best first. Equal scores are ordered by later creation time (except in vector mode), then by id.
    ///
    /// - Parameter firstRanks: By ordinal: the rank before feedback.
    func hits(vector: [LegHit], keyword: [LegHit], firstRanks: [Int: Int] = [:]) -> [Hit] {
        // With one leg its own scores are kept, so that a cosine stays a cosine.
        let fused =
            switch query.mode {
            case .hybrid: query.fusion.fuse(vector: vector, keyword: keyword)
            case .vector: single(vector) { FusedHit(ordinal: $0, score: $1.score, vector: $1) }
            case .keyword: single(keyword) { FusedHit(ordinal: $0, score: $1.score, keyword: $1) }
            }
        var placed = fused.map { Placed(fused: $0, score: $0.score) }
        if let recency = query.recency { weigh(&placed, by: recency) }
        placed.sort(by: goesBefore)
        if let diversity = query.diversity, diversity > 0 { placed = diverse(placed, diversity) }
        let passages = Dictionary(uniqueKeysWithValues: vector.map { ($0.ordinal, $0.passage) })
        return placed.prefix(query.limit).map { placed in
            let hit = placed.fused
            return Hit(
                id: snapshot.catalog.ids[hit.ordinal], score: placed.score, relevance: hit.score,
                passage: passages[hit.ordinal], vector: query.explain ? hit.vector : nil,
                keyword: query.explain ? hit.keyword : nil,
                firstRank: query.explain ? firstRanks[hit.ordinal] : nil, recency: placed.recency,
                similarity: placed.penalty)
        }
    }

    /// The candidates of both legs by their fused scores alone, best first.
    func ordinals(vector: [LegHit], keyword: [LegHit]) -> [Int] {
        query.fusion.fuse(vector: vector, keyword: keyword).map { Placed(fused: $0, score: $0.score) }
            .sorted(by: goesBefore).map(\.fused.ordinal)
    }

    private func goesBefore(_ left: Placed, _ right: Placed) -> Bool {
        if left.score != right.score { return left.score > right.score }
        let catalog = snapshot.catalog
        let (leftTime, rightTime) = (catalog.createdAt[left.fused.ordinal], catalog.createdAt[right.fused.ordinal])
        if query.mode != .vector, leftTime != rightTime { return leftTime > rightTime }
        return catalog.ids[left.fused.ordinal] < catalog.ids[right.fused.ordinal]
    }

    private func single(_ leg: [LegHit], _ make: (Int, LegScore) -> FusedHit) -> [FusedHit] {
        leg.enumerated().map { index, hit in
            make(hit.ordinal, LegScore(rank: index + 1, score: hit.score, normalised: hit.score, weight: 1))
        }
    }

    /// (1 − w) · score / best score + w · recency.
    private func weigh(_ placed: inout [Placed], by recency: RecencyWeighting) {
        let best = placed.reduce(0) { max($0, $1.score) }
        guard best > 0 else { return }
        for index in placed.indices {
            let share = recency.share(of: snapshot.catalog.createdAt[placed[index].fused.ordinal])
            placed[index].recency = share
            placed[index].score = (1 - recency.weight) * placed[index].score / best + recency.weight * share
        }
    }

    /// Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998). Picks one after another the document with the
    /// greatest (1 − δ) · score / best score − δ · greatest cosine with those picked already. Documents without a
    /// vector have no similarity to others.
    private func diverse(_ ranked: [Placed], _ diversity: Double) -> [Placed] {
        var pool = Array(ranked.prefix(Self.diversityPool))
        let best = pool.first?.score ?? 0
        guard let vectors = snapshot.vectors, best > 0 else { return ranked }
        let rows = pool.map { vectors.vectors(at: $0.fused.ordinal).map { Array($0.prefix(vectors.dimensions)) } }
        var nearest = [Double](repeating: 0, count: pool.count)
        var left = Array(pool.indices)
        var taken: [Placed] = []
        while !left.isEmpty {
            var (choice, greatest) = (0, -Double.infinity)
            for (place, index) in left.enumerated() {
                let value = (1 - diversity) * pool[index].score / best - diversity * nearest[index]
                if value > greatest { (choice, greatest) = (place, value) }
            }
            let chosen = left.remove(at: choice)
            pool[chosen].penalty = nearest[chosen]
            taken.append(pool[chosen])
            guard let row = rows[chosen] else { continue }
            for index in left {
                if let other = rows[index] { nearest[index] = max(nearest[index], Self.cosine(row, other)) }
            }
        }
        return taken + ranked.dropFirst(Self.diversityPool)
    }

    private static func cosine(_ left: [Float], _ right: [Float]) -> Double {
        var sum: Float = 0
        for index in left.indices { sum += left[index] * right[index] }
        return Double(sum)
    }
}
