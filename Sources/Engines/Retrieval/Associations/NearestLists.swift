/// The nearest documents of some documents, best first; equal scores by id, the smaller first.
///
/// The result does not depend on the order of the offers. A document that is offered to another one twice, by several
/// passages, counts with its best score.
struct NearestLists {
    private struct Entry {
        var score: Float
        var other: Int32
    }

    private let first: Int
    private let capacity: Int
    private let minSimilarity: Float
    private let ids: [Int64]
    private let hasPassages: Bool
    private var entries: [Entry]
    private var counts: [Int32]

    /// Lists for `count` documents from `first` on.
    init(first: Int, count: Int, options: NearPairOptions, ids: [Int64], hasPassages: Bool) {
        self.first = first
        capacity = min(options.neighbours, ids.count)
        minSimilarity = options.minSimilarity
        self.ids = ids
        self.hasPassages = hasPassages
        entries = Array(repeating: Entry(score: 0, other: 0), count: count * capacity)
        counts = Array(repeating: 0, count: count)
    }

    /// The least score that can enter the list of a document.
    func floor(of document: Int) -> Float {
        let (place, count) = (document - first, Int(counts[document - first]))
        guard count == capacity else { return minSimilarity }
        return max(minSimilarity, entries[place * capacity + count - 1].score)
    }

    /// The other documents with their scores, best first.
    func neighbours(of document: Int) -> [(other: Int, score: Float)] {
        let start = (document - first) * capacity
        return entries[start..<start + Int(counts[document - first])].map { (Int($0.other), $0.score) }
    }

    /// Offers a document to the list of another one.
    mutating func offer(_ other: Int, _ score: Float, to document: Int) {
        guard score >= minSimilarity else { return }
        let place = document - first
        let start = place * capacity
        var count = Int(counts[place])
        if count == capacity, !isBetter(score, other, than: entries[start + count - 1]) { return }
        if hasPassages, let known = (start..<start + count).first(where: { entries[$0].other == Int32(other) }) {
            guard score > entries[known].score else { return }
            for index in known..<start + count - 1 { entries[index] = entries[index + 1] }
            count -= 1
        }
        if count == capacity { count -= 1 }
        var index = start + count
        while index > start, isBetter(score, other, than: entries[index - 1]) {
            entries[index] = entries[index - 1]
            index -= 1
        }
        entries[index] = Entry(score: score, other: Int32(other))
        counts[place] = Int32(count + 1)
    }

    private func isBetter(_ score: Float, _ other: Int, than entry: Entry) -> Bool {
        score != entry.score ? score > entry.score : ids[other] < ids[Int(entry.other)]
    }
}
