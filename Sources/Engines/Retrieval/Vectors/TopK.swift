/// Keeps the best *k* of a stream of scores in a bounded heap whose root is the worst kept entry.
///
/// Equal scores are ordered by key, the smaller first, so the result does not depend on the order of arrival.
struct TopK<Key: Comparable & Sendable>: Sendable {
    /// A score with its key and payload.
    struct Entry: Sendable {
        var score: Float
        var key: Key
        var payload: Int

        /// Whether this entry ranks below another.
        func isWorse(than other: Entry) -> Bool {
            score != other.score ? score < other.score : key > other.key
        }
    }

    private let capacity: Int
    private var heap: [Entry] = []

    init(_ capacity: Int) {
        self.capacity = capacity
        heap.reserveCapacity(min(capacity, 4096))
    }

    /// No score below this can enter, so the caller may skip it.
    var threshold: Float {
        guard heap.count == capacity, let worst = heap.first else { return -.infinity }
        return worst.score
    }

    mutating func offer(_ entry: Entry) {
        guard capacity > 0 else { return }
        if heap.count < capacity {
            heap.append(entry)
            siftUp(from: heap.count - 1)
        } else if heap[0].isWorse(than: entry) {
            heap[0] = entry
            siftDown(from: 0)
        }
    }

    /// The kept entries, best first.
    func sorted() -> [Entry] { heap.sorted { $1.isWorse(than: $0) } }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isWorse(than: heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let right = left + 1
            let worse = right < heap.count && heap[right].isWorse(than: heap[left]) ? right : left
            guard heap[worse].isWorse(than: heap[index]) else { return }
            heap.swapAt(index, worse)
            index = worse
        }
    }
}

extension TopK {
    /// The entries as candidates; each payload is an ordinal.
    var legHits: [LegHit] { sorted().map { LegHit(ordinal: $0.payload, score: Double($0.score)) } }
}
