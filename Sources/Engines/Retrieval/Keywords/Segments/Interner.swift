/// Numbers distinct byte strings consecutively: an open-addressing hash table with linear probing.
///
/// Expected constant time per string. Each process has its own random seed, so no text can force collisions.
struct Interner {
    /// The strings one after another.
    private(set) var bytes: [UInt8] = []
    /// Where each string starts, and where the last one ends.
    private(set) var offsets: [Int] = [0]
    /// The upper half of the hash above the number + 1; 0 is free. At most half of the slots are used.
    private var slots: [UInt64] = Array(repeating: 0, count: 1024)

    /// The number of distinct strings.
    var count: Int { offsets.count - 1 }

    private static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000
    static let seed = UInt64.random(in: .min ... .max)
    /// FNV's prime (Fowler, Noll and Vo), for ``mixed(_:_:)``.
    private static let prime: UInt64 = 0x100_0000_01B3

    /// The hash of a string extended by one byte.
    @inline(__always)
    static func mixed(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* prime }

    /// Returns the number of a string, and whether it is new.
    ///
    /// - Parameters:
    ///   - start: `length` readable bytes.
    ///   - hash: ``seed`` mixed with every byte in order.
    mutating func intern(_ start: UnsafePointer<UInt8>, _ length: Int, hash: UInt64) -> (number: Int, isNew: Bool) {
        // The upper bits of the product are well mixed.
        let spread = hash &* 0x9E37_79B9_7F4A_7C15
        let tag = spread & Self.tagMask
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: spread >> 20) & mask
        while slots[slot] != 0 {
            if slots[slot] & Self.tagMask == tag {
                let number = Int(slots[slot] & 0xFFFF_FFFF) - 1
                if unsafe equals(number, start, length) { return (number, false) }
            }
            slot = (slot + 1) & mask
        }
        let number = count
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: length))
        offsets.append(bytes.count)
        slots[slot] = tag | UInt64(number + 1)
        if count * 2 > slots.count { grow() }
        return (number, true)
    }

    /// Returns the number of a string, adding it when it is new.
    mutating func intern(_ string: [UInt8]) -> Int {
        let hash = string.reduce(Self.seed, Self.mixed)
        return unsafe string.withUnsafeBufferPointer { string in
            guard let base = string.baseAddress else { return unsafe intern([0], 0, hash: hash).number }
            return unsafe intern(base, string.count, hash: hash).number
        }
    }

    /// All numbers in the order of their strings' bytes.
    func sorted() -> [Int] {
        // Most comparisons end within the first eight bytes.
        let keys = (0..<count).map { number -> UInt64 in
            var key: UInt64 = 0
            for place in offsets[number]..<offsets[number] + 8 {
                key = key << 8 | UInt64(place < offsets[number + 1] ? bytes[place] : 0)
            }
            return key
        }
        return (0..<count).sorted { left, right in
            if keys[left] != keys[right] { return keys[left] < keys[right] }
            return bytes[offsets[left]..<offsets[left + 1]].lexicographicallyPrecedes(
                bytes[offsets[right]..<offsets[right + 1]])
        }
    }

    @inline(__always)
    private func equals(_ number: Int, _ start: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        let place = offsets[number]
        guard offsets[number + 1] - place == length else { return false }
        for index in 0..<length where unsafe bytes[place + index] != start[index] { return false }
        return true
    }

    private mutating func grow() {
        var wider = [UInt64](repeating: 0, count: slots.count * 2)
        let mask = wider.count - 1
        for number in 0..<count {
            let spread =
                bytes[offsets[number]..<offsets[number + 1]].reduce(Self.seed, Self.mixed) &* 0x9E37_79B9_7F4A_7C15
            var slot = Int(truncatingIfNeeded: spread >> 20) & mask
            while wider[slot] != 0 { slot = (slot + 1) & mask }
            wider[slot] = (spread & Self.tagMask) | UInt64(number + 1)
        }
        slots = wider
    }
}
