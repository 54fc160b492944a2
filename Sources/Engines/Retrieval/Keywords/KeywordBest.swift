import Synchronization

/// The best documents so far. Equal scores are ordered by later creation time, then by id.
struct KeywordBest: Sendable {
    private var top: TopK<Recency>
    /// The number of documents that were found, if they are counted.
    var found = 0

    init(_ wanted: Int) { top = TopK(wanted) }

    /// No lower score can be among the best.
    var threshold: Float { top.threshold }

    /// Offers a document.
    ///
    /// - Parameters:
    ///   - createdAt: By ordinal.
    ///   - ids: By ordinal.
    mutating func offer(
        _ score: Float, _ ordinal: Int, createdAt: borrowing Column<Int64>, ids: borrowing Column<Int64>
    ) {
        guard score >= top.threshold else { return }
        top.offer(
            .init(score: score, key: Recency(createdAt: createdAt[ordinal], id: ids[ordinal]), payload: ordinal))
    }

    /// Adds the documents of another list.
    mutating func merge(_ other: KeywordBest) {
        for entry in other.top.sorted() { top.offer(entry) }
        found += other.found
    }

    /// The documents, best first.
    var hits: [LegHit] { top.legHits }

    /// Orders later documents first, then smaller ids.
    private struct Recency: Comparable, Sendable {
        var createdAt: Int64
        var id: Int64

        static func < (left: Recency, right: Recency) -> Bool {
            left.createdAt != right.createdAt ? left.createdAt > right.createdAt : left.id < right.id
        }
    }
}

/// A threshold that several threads raise.
final class SharedThreshold: Sendable {
    private let bits = Atomic<UInt32>((-Float.infinity).bitPattern)

    /// The greatest value so far.
    var value: Float { Float(bitPattern: bits.load(ordering: .relaxed)) }

    /// Raises the value; a lower one changes nothing.
    func raise(to value: Float) {
        var old = bits.load(ordering: .relaxed)
        while Float(bitPattern: old) < value {
            let (exchanged, original) = bits.weakCompareExchange(
                expected: old, desired: value.bitPattern, ordering: .relaxed)
            if exchanged { return }
            old = original
        }
    }
}
