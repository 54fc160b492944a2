/// Bounds of the scores of a window's rows, added up term by term.
///
/// SAFETY: The pointers have room for the rows; the owner keeps them while it adds up (``PrunedSearch``).
@safe struct WindowSums {
    /// By row of the window. Only those in ``found`` count.
    private let scores: UnsafeMutablePointer<Float>
    /// The rows that have a score, 64 each.
    private let found: UnsafeMutablePointer<UInt64>
    /// Begins at a multiple of 64.
    private let rows: Range<Int>

    init(scores: UnsafeMutablePointer<Float>, found: UnsafeMutablePointer<UInt64>, rows: Range<Int>) {
        unsafe self.scores = scores
        unsafe self.found = found
        self.rows = rows
    }

    /// Adds the scores of a term.
    ///
    /// - Parameter near: The entries of the term within the window.
    func add(_ term: ScoredTerm, _ near: Range<Int>) {
        if let frequent = term.frequent {
            if unsafe term.marks == nil, near.isEmpty {
                addFrequent(frequent, term)
            } else {
                addMixed(frequent, term, near)
            }
        } else if let marks = unsafe term.marks {
            unsafe addMarks(marks, term)
        } else {
            for place in near {
                let entry = unsafe term.entries[place]
                add(entry.mark, at: Int(entry.row), term)
            }
        }
    }

    @inline(__always)
    private func add(_ mark: UInt8, at row: Int, _ term: ScoredTerm) {
        let place = row - rows.lowerBound
        let bit: UInt64 = 1 << UInt64(place & 63)
        let score = term.bound(mark, row: row)
        let bits = unsafe found[place >> 6]
        unsafe scores[place] = bits & bit != 0 ? scores[place] + score : score
        unsafe found[place >> 6] = bits | bit
    }

    private func addFrequent(_ frequent: FrequentRows.Pointers, _ term: ScoredTerm) {
        for index in rows.lowerBound >> 6..<(rows.upperBound + 63) >> 6 {
            var bits = unsafe frequent.words[index]
            var rank = unsafe Int(frequent.ranks[index])
            while bits != 0 {
                unsafe add(term.counted(frequent.marks[rank]), at: index << 6 + bits.trailingZeroBitCount, term)
                bits &= bits - 1
                rank += 1
            }
        }
    }

    private func addMarks(_ marks: UnsafePointer<UInt8>, _ term: ScoredTerm) {
        for start in stride(from: rows.lowerBound, to: rows.upperBound, by: 8) {
            var bytes = unsafe UnsafeRawPointer(marks + start).load(as: UInt64.self).littleEndian
            while bytes != 0 {
                let place = bytes.trailingZeroBitCount >> 3
                add(UInt8(truncatingIfNeeded: bytes >> UInt64(place << 3)), at: start + place, term)
                bytes &= ~(0xFF << UInt64(place << 3))
            }
        }
    }

    private func addMixed(_ frequent: FrequentRows.Pointers, _ term: ScoredTerm, _ near: Range<Int>) {
        var (next, place) = (near.lowerBound, near.lowerBound)
        for index in rows.lowerBound >> 6..<(rows.upperBound + 63) >> 6 {
            var bits = unsafe frequent.words[index]
            if let marks = unsafe term.marks {
                for place in 0..<64 where unsafe marks[index << 6 + place] != 0 { bits |= 1 << UInt64(place) }
            }
            while next < near.upperBound, unsafe Int(term.entries[next].row) >> 6 == index {
                unsafe bits |= 1 << UInt64(term.entries[next].row & 63)
                next += 1
            }
            while bits != 0 {
                let row = index << 6 + bits.trailingZeroBitCount
                bits &= bits - 1
                add(term.mark(at: row, from: &place), at: row, term)
            }
        }
    }
}
