/// Groups notes by the pairs among them.
///
/// The measure of a grouping is that of the constant Potts model: for each community the weights of its pairs, minus
/// ``resolution`` for every two of its notes. So a community is denser inside than ``resolution``, what happens in one part
/// of the notes does not change another part, and communities stay small while each note has few neighbours. Notes move, in
/// the order of their ids, to the community that gains most (Louvain's method); communities then move as notes did. All
/// numbers are integers: the same pairs in any order give the same communities.
package struct Communities: Sendable {
    /// The default of ``resolution``.
    package static let usualResolution: Int64 = 50
    /// The most levels; fewer are needed as soon as no community moves.
    static let maxLevels = 32
    /// The most looks at a node of a level, on average.
    static let maxLooks = 100

    /// The weight that two notes of a community cost, in the unit of ``AlikePair/weight``.
    package let resolution: Int64

    package init(resolution: Int64 = Self.usualResolution) { self.resolution = max(1, resolution) }

    /// Returns the communities of two notes or more, each with its ids ascending, in the order of their smallest ids.
    package func find(in graph: PairGraph) -> [[Int64]] {
        let count = graph.ids.count
        guard count > 0 else { return [] }
        var community = (0..<Int32(count)).map { $0 }
        var level = Level(
            starts: graph.starts, neighbours: graph.neighbours, weights: graph.weights.map { Int64($0) },
            sizes: [Int64](repeating: 1, count: count))
        for _ in 0..<Self.maxLevels {
            let moved = level.move(resolution)
            guard moved.count < level.sizes.count else { break }
            for node in 0..<count { community[node] = moved.labels[Int(community[node])] }
            level = level.merged(moved.labels, moved.count)
        }
        return connected(community, graph)
    }

    /// Splits communities into their connected parts.
    private func connected(_ community: [Int32], _ graph: PairGraph) -> [[Int64]] {
        var seen = [Bool](repeating: false, count: community.count)
        var found: [[Int64]] = []
        var rest: [Int] = []
        for start in community.indices where !seen[start] {
            seen[start] = true
            rest = [start]
            var members: [Int64] = []
            while let node = rest.popLast() {
                members.append(graph.ids[node])
                for edge in Int(graph.starts[node])..<Int(graph.starts[node + 1]) {
                    let other = Int(graph.neighbours[edge])
                    guard !seen[other], community[other] == community[start] else { continue }
                    seen[other] = true
                    rest.append(other)
                }
            }
            if members.count > 1 { found.append(members.sorted()) }
        }
        return found
    }
}

/// Nodes of one level: notes, or communities of the level before.
private struct Level {
    var starts: [Int32]
    var neighbours: [Int32]
    var weights: [Int64]
    /// The notes of each node.
    var sizes: [Int64]

    /// Moves nodes between communities until none gains. Returns for each node the number of its community, by the first
    /// node of each.
    func move(_ resolution: Int64) -> (labels: [Int32], count: Int) {
        let count = sizes.count
        var label = (0..<count).map { $0 }
        var total = sizes
        var free: [Int] = []
        var queue = (0..<count).map { $0 }
        var isQueued = [Bool](repeating: true, count: count)
        // The queue is a ring: a node is in it once at most.
        var (head, waiting, looks) = (0, count, 0)
        // The weights between the node and the communities around it.
        var weight = [Int64](repeating: 0, count: count)
        var around: [Int] = []
        while waiting > 0, looks < count * Communities.maxLooks {
            let node = queue[head]
            head = head + 1 == count ? 0 : head + 1
            waiting -= 1
            looks += 1
            isQueued[node] = false
            let own = label[node]
            around.removeAll(keepingCapacity: true)
            for edge in Int(starts[node])..<Int(starts[node + 1]) {
                let other = label[Int(neighbours[edge])]
                if weight[other] == 0 { around.append(other) }
                weight[other] += weights[edge]
            }
            total[own] -= sizes[node]
            var (best, most) = (own, weight[own] - resolution * sizes[node] * total[own])
            for other in around where other != own {
                let gain = weight[other] - resolution * sizes[node] * total[other]
                if gain > most || (gain == most && best != own && other < best) { (best, most) = (other, gain) }
            }
            for other in around { weight[other] = 0 }
            if most < 0, let empty = free.popLast() {
                // Better alone.
                best = empty
            }
            total[best] += sizes[node]
            guard best != own else { continue }
            if total[own] == 0 { free.append(own) }
            label[node] = best
            for edge in Int(starts[node])..<Int(starts[node + 1]) {
                let other = Int(neighbours[edge])
                guard !isQueued[other], label[other] != best else { continue }
                isQueued[other] = true
                queue[(head + waiting) % count] = other
                waiting += 1
            }
        }
        var number = [Int32](repeating: -1, count: count)
        var next: Int32 = 0
        let labels = label.map { old in
            if number[old] < 0 {
                number[old] = next
                next += 1
            }
            return number[old]
        }
        return (labels, Int(next))
    }

    /// The level whose nodes are the communities of this one.
    func merged(_ labels: [Int32], _ count: Int) -> Level {
        var totals = [Int64](repeating: 0, count: count)
        for (node, label) in labels.enumerated() { totals[Int(label)] += sizes[node] }
        // Nodes by their community, in order.
        var first = [Int32](repeating: 0, count: count + 1)
        for label in labels { first[Int(label) + 1] += 1 }
        for label in 0..<count { first[label + 1] += first[label] }
        var next = first
        var members = [Int32](repeating: 0, count: labels.count)
        for (node, label) in labels.enumerated() {
            members[Int(next[Int(label)])] = Int32(node)
            next[Int(label)] += 1
        }
        var level = Level(starts: [0], neighbours: [], weights: [], sizes: totals)
        level.starts.reserveCapacity(count + 1)
        var weight = [Int64](repeating: 0, count: count)
        var around: [Int32] = []
        for label in 0..<count {
            around.removeAll(keepingCapacity: true)
            for member in members[Int(first[label])..<Int(first[label + 1])] {
                for edge in Int(starts[Int(member)])..<Int(starts[Int(member) + 1]) {
                    let other = labels[Int(neighbours[edge])]
                    guard other != Int32(label) else { continue }
                    if weight[Int(other)] == 0 { around.append(other) }
                    weight[Int(other)] += weights[edge]
                }
            }
            for other in around.sorted() {
                level.neighbours.append(other)
                level.weights.append(weight[Int(other)])
                weight[Int(other)] = 0
            }
            level.starts.append(Int32(level.neighbours.count))
        }
        return level
    }
}
