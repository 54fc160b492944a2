/// A cache with a limit on the total cost; evicts the least recently used value first.
///
/// Pure. Every operation takes constant time for each value that it adds, finds or evicts.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    /// The maximum total cost.
    let capacity: Int
    /// The total cost of the cached values.
    private(set) var cost = 0
    /// The number of evicted values.
    private(set) var evictions = 0
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1

    init(capacity: Int) { self.capacity = max(0, capacity) }

    /// The number of cached values.
    var count: Int { places.count }

    /// Returns a value and marks it as used.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkNewest(place)
        }
        return nodes[place]?.value
    }

    /// Returns a value without marking it as used.
    func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

    /// Adds or replaces a value and marks it as used. A value that costs more than the capacity is not cached.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        if let place = places[key] { remove(place) }
        guard cost <= capacity else { return }
        while self.cost + cost > capacity, oldest >= 0 {
            remove(oldest)
            evictions += 1
        }
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(nil) }
        nodes[place] = Node(key: key, value: value, cost: cost, newer: -1, older: -1)
        places[key] = place
        self.cost += cost
        linkNewest(place)
    }

    private mutating func remove(_ place: Int) {
        unlink(place)
        guard let node = nodes[place] else { return }
        places[node.key] = nil
        cost -= node.cost
        nodes[place] = nil
        free.append(place)
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }

    private mutating func linkNewest(_ place: Int) {
        nodes[place]?.newer = -1
        nodes[place]?.older = newest
        if newest >= 0 { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }
}
