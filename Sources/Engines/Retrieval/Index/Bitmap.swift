import CKernels

/// A set of small numbers, one bit each.
struct Bitmap: Sendable, Equatable {
    private var words: [UInt64]
    /// The exclusive upper bound of the numbers.
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        words = Array(repeating: 0, count: (capacity + 63) / 64)
    }

    /// Creates the set of all numbers below a count.
    init(full count: Int) {
        capacity = count
        words = Array(repeating: .max, count: (count + 63) / 64)
        if count % 64 != 0 { words[words.count - 1] = 1 << UInt64(count % 64) - 1 }
    }

    subscript(_ index: Int) -> Bool {
        get { index < capacity && words[index >> 6] & (1 << UInt64(index & 63)) != 0 }
        set {
            if newValue {
                words[index >> 6] |= 1 << UInt64(index & 63)
            } else {
                words[index >> 6] &= ~(1 << UInt64(index & 63))
            }
        }
    }

    /// The members from 64 · `index` on, one bit each; `index` must be below the number of such words.
    @inline(__always)
    func word(_ index: Int) -> UInt64 { words[index] }

    /// Removes the numbers that are not members of another set.
    mutating func formIntersection(_ other: Bitmap) {
        for index in words.indices { words[index] &= index < other.words.count ? other.words[index] : 0 }
    }

    /// Removes the numbers whose value in a column fails a test. Numbers beyond the column stay.
    mutating func keep<Value>(_ column: Column<Value>, where test: (Value) -> Bool) {
        // A page has a multiple of 64 values.
        unsafe column.forEachPage { start, values in
            for first in stride(from: 0, to: values.count, by: 64) {
                let index = (start + first) >> 6
                guard index < words.count else { return }
                var rest = words[index]
                var failed: UInt64 = 0
                while rest != 0 {
                    let bit = rest.trailingZeroBitCount
                    rest &= rest - 1
                    guard first + bit < values.count else { break }
                    if unsafe !test(values[first + bit]) { failed |= 1 << UInt64(bit) }
                }
                words[index] &= ~failed
            }
        }
    }

    /// Removes the numbers whose value in a column is not within a range.
    mutating func keep(_ column: Column<Int64>, from low: Int64, to high: Int64) {
        unsafe keepPages(of: column) { values, count, words in
            unsafe selene_keep_between(values, count, low, high, words)
        }
    }

    /// Removes the numbers whose value in a column is not one of some small numbers.
    mutating func keep(_ column: Column<Int32>, among wanted: Set<Int32>) {
        var table = [UInt8](repeating: 0, count: Int(wanted.max() ?? -1) + 1)
        for value in wanted where value >= 0 { table[Int(value)] = 1 }
        unsafe table.withUnsafeBufferPointer { table in
            // An empty array has no address.
            var none: UInt8 = 0
            unsafe withUnsafePointer(to: &none) { none in
                unsafe keepPages(of: column) { values, count, words in
                    unsafe selene_keep_wanted(values, count, table.baseAddress ?? none, table.count, words)
                }
            }
        }
    }

    /// Numbers beyond the column must be absent.
    private mutating func keepPages<Value>(
        of column: Column<Value>, _ keep: (UnsafePointer<Value>, Int, UnsafeMutablePointer<UInt64>) -> Void
    ) {
        let capacity = capacity
        unsafe words.withUnsafeMutableBufferPointer { words in
            unsafe column.forEachPage { start, values in
                // A page begins with a word.
                let count = min(values.count, capacity - start)
                guard count > 0, let base = values.baseAddress, let first = words.baseAddress else { return }
                unsafe keep(base, count, first + start >> 6)
            }
        }
    }

    /// The number of members.
    var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Raises the capacity by one; the new number is not a member.
    mutating func grow() {
        capacity += 1
        if capacity > words.count * 64 { words.append(0) }
    }

    /// Calls the body with each member, ascending.
    func forEach(_ body: (Int) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(index << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
