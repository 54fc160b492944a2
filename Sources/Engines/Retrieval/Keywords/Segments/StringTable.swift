import CMemory

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Distinct byte strings in ascending order inside a region. `offsets[i]..<offsets[i + 1]` is string i with a zero byte
/// after it, so a search over all strings at once cannot match across two.
///
/// SAFETY: The pointers stay valid as long as the region, which the owner keeps. The offsets were checked when the
/// region was opened: they ascend by at least 1 and end within the bytes.
@safe struct StringTable {
    private let bytes: UnsafePointer<UInt8>
    private let offsets: UnsafePointer<UInt64>
    /// The number of strings.
    let count: Int
    /// Bytes of all strings and separators.
    let byteCount: Int

    init(bytes: UnsafePointer<UInt8>, offsets: UnsafePointer<UInt64>, count: Int, byteCount: Int) {
        unsafe self.bytes = bytes
        unsafe self.offsets = offsets
        self.count = count
        self.byteCount = byteCount
    }

    /// The bytes of a string.
    subscript(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        precondition(index >= 0 && index < count)
        let start = unsafe Int(offsets[index])
        return unsafe UnsafeBufferPointer(start: bytes + start, count: Int(offsets[index + 1]) - start - 1)
    }

    /// The first eight bytes of a string as a number that sorts like them, with zeros after the string's end.
    func key(_ index: Int) -> UInt64 {
        let string = unsafe self[index]
        var key: UInt64 = 0
        for place in 0..<8 { unsafe key = key << 8 | UInt64(place < string.count ? string[place] : 0) }
        return key
    }

    /// The index of a string; nil when absent. Logarithmic.
    func index(of string: [UInt8]) -> Int? {
        let place = lowerBound(of: string)
        return unsafe place < count && self[place].elementsEqual(string) ? place : nil
    }

    /// The indices of the strings that begin with a prefix. Logarithmic.
    func range(withPrefix prefix: [UInt8]) -> Range<Int> {
        let start = lowerBound(of: prefix)
        var end = prefix
        // The first string after all that begin with the prefix; without one, the end.
        while let last = end.last, last == 0xFF { end.removeLast() }
        guard let last = end.last else { return start..<count }
        end[end.count - 1] = last + 1
        return start..<max(start, lowerBound(of: end))
    }

    /// Calls the body with the index of a string and the offset in it, for each non-overlapping occurrence.
    ///
    /// - Parameter pattern: Not empty. A zero byte at its end anchors it to the ends of strings.
    func forEachOccurrence(of pattern: [UInt8], _ body: (_ index: Int, _ place: Int) -> Void) {
        unsafe pattern.withUnsafeBytes { pattern in
            guard let needle = pattern.baseAddress else { return }
            let length = pattern.count
            var position = 0
            var index = 0
            while position + length <= byteCount {
                guard let found = unsafe selene_find(bytes + position, byteCount - position, needle, length) else {
                    return
                }
                let place = unsafe found - UnsafeRawPointer(bytes)
                index = string(holding: place, from: index)
                unsafe body(index, place - Int(offsets[index]))
                position = place + length
            }
        }
    }

    /// Calls the body as ``forEachOccurrence(of:_:)``, with the occurrences in some of the strings.
    ///
    /// - Parameters:
    ///   - indices: Ascending. Indices beyond the table are left out.
    func forEachOccurrence(
        of pattern: [UInt8], in indices: ArraySlice<UInt32>, _ body: (_ index: Int, _ place: Int) -> Void
    ) {
        unsafe pattern.withUnsafeBufferPointer { pattern in
            guard let needle = pattern.baseAddress else { return }
            let length = pattern.count
            for index in indices where index < count {
                let start = unsafe Int(offsets[Int(index)])
                // The zero byte after the string belongs to it, for patterns that end with one.
                let end = unsafe Int(offsets[Int(index) + 1])
                var place = start
                while place + length <= end {
                    if unsafe bytes[place] == needle.pointee, unsafe memcmp(bytes + place, needle, length) == 0 {
                        body(Int(index), place - start)
                        place += length
                    } else {
                        place += 1
                    }
                }
            }
        }
    }

    /// Compares two strings of two tables: negative, zero or positive.
    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.count - right.count }
        let order = unsafe memcmp(first, second, min(left.count, right.count))
        return order != 0 ? Int(order) : left.count - right.count
    }

    /// The index of a string, or the index where it would be inserted.
    private func lowerBound(of string: [UInt8]) -> Int {
        unsafe string.withUnsafeBufferPointer { string in
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if unsafe Self.compare(self[middle], string) < 0 { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// The index of the string that holds a byte. Matches come in order, so it gallops from the last one.
    private func string(holding place: Int, from start: Int) -> Int {
        var low = start
        var step = 1
        while unsafe low + step < count && Int(offsets[low + step]) <= place {
            low += step
            step *= 2
        }
        var high = min(low + step, count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if unsafe Int(offsets[middle]) <= place { low = middle } else { high = middle }
        }
        return low
    }
}

/// Builds the bytes and offsets of a ``StringTable``.
struct StringTableBuilder {
    private(set) var bytes: [UInt8] = []
    private(set) var offsets: [UInt64] = [0]

    var count: Int { offsets.count - 1 }

    /// Appends a string, which must sort after the last one.
    mutating func append(_ string: some Collection<UInt8>) {
        bytes.append(contentsOf: string)
        bytes.append(0)
        offsets.append(UInt64(bytes.count))
    }
}
