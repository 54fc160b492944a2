/// A row that may be among the nearest.
struct RowCandidate: Sendable {
    var score: Float
    /// The document's ordinal.
    var ordinal: Int32
    /// The row's index among all rows.
    var row: Int32
}

/// The best documents of a stream of rows. Rows that reach the threshold are put in a buffer. A full buffer is cut down
/// to the best rows, whose last score is the new threshold. Most rows cost one comparison.
///
/// A document with several rows counts once, with its best row. Equal scores are ordered by the document's id, so the
/// result does not depend on the order of arrival.
struct TopRows: Sendable {
    private let wanted: Int
    private let capacity: Int
    private let hasPassages: Bool
    private var candidates: [RowCandidate] = []
    /// No lower score can enter.
    private(set) var threshold = -Float.infinity
    /// The number of scored rows, for reports.
    var rowsRead = 0

    init(_ wanted: Int, hasPassages: Bool) {
        self.wanted = max(1, wanted)
        self.hasPassages = hasPassages
        capacity = self.wanted * 2 + 64
    }

    /// Offers a row whose score is at least ``threshold``.
    mutating func offer(_ candidate: RowCandidate, ids: Column<Int64>) {
        candidates.append(candidate)
        if candidates.count == capacity { cut(ids) }
    }

    /// Adds the candidates of another list.
    mutating func merge(_ other: TopRows, ids: Column<Int64>) {
        for candidate in other.candidates where candidate.score >= threshold { offer(candidate, ids: ids) }
        rowsRead += other.rowsRead
    }

    /// The kept rows, best first.
    mutating func sorted(ids: Column<Int64>) -> [RowCandidate] {
        cut(ids)
        candidates.sort { Self.isBetter($0, $1, ids) }
        return candidates
    }

    private static func isBetter(_ left: RowCandidate, _ right: RowCandidate, _ ids: Column<Int64>) -> Bool {
        if left.score != right.score { return left.score > right.score }
        if left.ordinal != right.ordinal { return ids[Int(left.ordinal)] < ids[Int(right.ordinal)] }
        return left.row < right.row
    }

    private mutating func cut(_ ids: Column<Int64>) {
        if hasPassages {
            candidates.sort { Self.isBetter($0, $1, ids) }
            var seen: Set<Int32> = []
            candidates.removeAll { seen.count == wanted || !seen.insert($0.ordinal).inserted }
        } else if candidates.count > wanted {
            partition(ids)
            candidates.removeSubrange(wanted...)
        }
        guard candidates.count == wanted else { return }
        threshold = candidates.reduce(Float.infinity) { min($0, $1.score) }
    }

    /// Puts the best `wanted` first, unordered (Hoare, "Algorithm 65: Find", 1961, with the median of three as pivot).
    private mutating func partition(_ ids: Column<Int64>) {
        var (low, high) = (0, candidates.count - 1)
        while low < high {
            let (first, last) = (candidates[low], candidates[high])
            let middle = candidates[(low + high) / 2]
            let pivot =
                Self.isBetter(first, middle, ids) != Self.isBetter(first, last, ids)
                ? first : Self.isBetter(middle, first, ids) != Self.isBetter(middle, last, ids) ? middle : last
            var (left, right) = (low, high)
            while left <= right {
                while Self.isBetter(candidates[left], pivot, ids) { left += 1 }
                while Self.isBetter(pivot, candidates[right], ids) { right -= 1 }
                if left <= right {
                    candidates.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if wanted - 1 <= right {
                high = right
            } else if wanted - 1 >= left {
                low = left
            } else {
                return
            }
        }
    }
}
