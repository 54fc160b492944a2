import Communities

/// The method of ``Communities`` written with dictionaries and sums made anew for each look: slow, and easy to check.
struct SlowCommunities {
    var resolution: Int64 = Communities.usualResolution

    func find(_ pairs: [AlikePair]) -> [[Int64]] {
        var weights: [Int64: [Int64: Int64]] = [:]
        for pair in pairs where pair.first != pair.second && pair.weight > 0 {
            let weight = max(weights[pair.first]?[pair.second] ?? 0, Int64(min(1000, pair.weight)))
            weights[pair.first, default: [:]][pair.second] = weight
            weights[pair.second, default: [:]][pair.first] = weight
        }
        // Each node of a level is a list of notes.
        var nodes = weights.keys.sorted().map { [$0] }
        while true {
            let groups = move(nodes, weights)
            guard groups.count < nodes.count else { break }
            nodes = groups
        }
        return nodes.flatMap { parts($0, weights) }.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// The measure that communities maximise.
    func quality(_ communities: [[Int64]], _ pairs: [AlikePair]) -> Int64 {
        var label: [Int64: Int] = [:]
        for (number, notes) in communities.enumerated() { for note in notes { label[note] = number } }
        var inside: Int64 = 0
        for pair in Set(pairs.map { [min($0.first, $0.second), max($0.first, $0.second)] }) {
            guard let one = label[pair[0]], label[pair[1]] == one else { continue }
            inside +=
                pairs.filter { [min($0.first, $0.second), max($0.first, $0.second)] == pair }.map { Int64($0.weight) }
                .max() ?? 0
        }
        return inside - communities.map { resolution * Int64($0.count * ($0.count - 1) / 2) }.reduce(0, +)
    }

    private func move(_ nodes: [[Int64]], _ weights: [Int64: [Int64: Int64]]) -> [[Int64]] {
        func between(_ one: [Int64], _ other: [Int64]) -> Int64 {
            one.reduce(0) { sum, note in other.reduce(sum) { $0 + (weights[note]?[$1] ?? 0) } }
        }
        var label = Array(nodes.indices)
        var free: [Int] = []
        var queue = Array(nodes.indices)
        while !queue.isEmpty {
            let node = queue.removeFirst()
            let own = label[node]
            func gain(_ community: Int) -> Int64 {
                nodes.indices.filter { $0 != node && label[$0] == community }.reduce(0) { sum, other in
                    sum + between(nodes[node], nodes[other])
                        - resolution * Int64(nodes[node].count * nodes[other].count)
                }
            }
            let around = nodes.indices.filter { $0 != node && between(nodes[node], nodes[$0]) > 0 }
            let stay = gain(own)
            let most = max(stay, Set(around.map { label[$0] }).subtracting([own]).map(gain).max() ?? stay)
            var best = own
            if most > stay {
                best = Set(around.map { label[$0] }).subtracting([own]).filter { gain($0) == most }.min() ?? own
            }
            if most < 0, let empty = free.popLast() { best = empty }
            guard best != own else { continue }
            if !nodes.indices.contains(where: { $0 != node && label[$0] == own }) { free.append(own) }
            label[node] = best
            for other in around where label[other] != best && !queue.contains(other) { queue.append(other) }
        }
        var order: [Int] = []
        for number in label where !order.contains(number) { order.append(number) }
        return order.map { number in nodes.indices.filter { label[$0] == number }.flatMap { nodes[$0] } }
    }

    /// The connected parts of a community.
    private func parts(_ notes: [Int64], _ weights: [Int64: [Int64: Int64]]) -> [[Int64]] {
        var rest = Set(notes)
        var found: [[Int64]] = []
        while let start = rest.min() {
            var part: Set<Int64> = [start]
            while true {
                let more = rest.subtracting(part).filter { note in part.contains { weights[note]?[$0] != nil } }
                if more.isEmpty { break }
                part.formUnion(more)
            }
            rest.subtract(part)
            found.append(part.sorted())
        }
        return found
    }
}
