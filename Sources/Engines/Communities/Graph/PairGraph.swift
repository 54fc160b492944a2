/// A pair of notes that are alike.
package struct AlikePair: Sendable, Hashable {
    /// One note's id.
    package var first: Int64
    /// The other note's id.
    package var second: Int64
    /// How alike they are, 1 to ``PairGraph/fullWeight``.
    package var weight: Int32

    package init(_ first: Int64, _ second: Int64, weight: Int32) {
        self.first = first
        self.second = second
        self.weight = weight
    }

    /// The weight of a cosine: 100 at the least cosine of the pairs, 1000 at a cosine of 1.
    package static func weight(cosine: Double, least: Double) -> Int32 {
        guard cosine.isFinite, least.isFinite, least < 1 else { return 100 }
        let share = min(1, max(0, (cosine - least) / (1 - least)))
        return 100 + Int32((share * 900).rounded())
    }
}

/// Notes and the pairs among them, in a form that depends only on which pairs there are.
///
/// Memory: 8 bytes a note, 16 bytes a pair, and as much again while it is built.
package struct PairGraph: Sendable {
    /// The greatest weight of a pair.
    package static let fullWeight: Int32 = 1000
    /// The most pairs of a graph.
    package static let maxPairs = 4_000_000

    /// The ids of the notes, ascending.
    package let ids: [Int64]
    /// For each note the start of its neighbours; one more at the end.
    let starts: [Int32]
    /// The places of neighbours in ``ids``, ascending for each note.
    let neighbours: [Int32]
    /// The weights of the pairs beside ``neighbours``.
    let weights: [Int32]

    /// Creates a graph of pairs in any order and direction. A pair that occurs more than once has its greatest weight; pairs
    /// of a note with itself and those without weight are left out. Only the first ``maxPairs`` pairs count.
    package init(_ pairs: some Sequence<AlikePair>) {
        var kept: [AlikePair] = []
        for pair in pairs where pair.first != pair.second && pair.weight > 0 {
            guard kept.count < Self.maxPairs else { break }
            kept.append(
                AlikePair(
                    min(pair.first, pair.second), max(pair.first, pair.second),
                    weight: min(Self.fullWeight, pair.weight)))
        }
        kept.sort { ($0.first, $0.second, $1.weight) < ($1.first, $1.second, $0.weight) }
        var ids = kept.map(\.first)
        ids += kept.map(\.second)
        ids.sort()
        let unique = Self.unique(ids)
        self.ids = unique
        var edges: [Edge] = []
        edges.reserveCapacity(kept.count)
        var last: (Int64, Int64)?
        for pair in kept {
            if let last, last == (pair.first, pair.second) { continue }
            last = (pair.first, pair.second)
            edges.append(
                Edge(
                    from: Self.place(of: pair.first, in: unique), to: Self.place(of: pair.second, in: unique),
                    weight: pair.weight))
        }
        (starts, neighbours, weights) = Self.adjacency(of: edges, nodes: unique.count)
    }

    struct Edge {
        var from: Int32
        var to: Int32
        var weight: Int32
    }

    /// Lists each edge at both of its ends. The neighbours of a node ascend when the edges are sorted by (`from`, `to`) and
    /// `from` is smaller.
    static func adjacency(of edges: [Edge], nodes: Int) -> (starts: [Int32], neighbours: [Int32], weights: [Int32]) {
        var starts = [Int32](repeating: 0, count: nodes + 1)
        for edge in edges {
            starts[Int(edge.from) + 1] += 1
            starts[Int(edge.to) + 1] += 1
        }
        for node in 0..<nodes { starts[node + 1] += starts[node] }
        var next = starts
        var neighbours = [Int32](repeating: 0, count: edges.count * 2)
        var weights = neighbours
        func put(_ from: Int32, _ to: Int32, _ weight: Int32) {
            let place = Int(next[Int(from)])
            neighbours[place] = to
            weights[place] = weight
            next[Int(from)] += 1
        }
        // First the smaller neighbours of every node, then the greater ones.
        for edge in edges { put(edge.to, edge.from, edge.weight) }
        for edge in edges { put(edge.from, edge.to, edge.weight) }
        return (starts, neighbours, weights)
    }

    private static func place(of id: Int64, in ids: [Int64]) -> Int32 {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return Int32(low)
    }

    private static func unique(_ sorted: [Int64]) -> [Int64] {
        var found: [Int64] = []
        for id in sorted where found.last != id { found.append(id) }
        return found
    }
}
