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
