/// Writes numbers and texts in a compact form that ``MessageReader`` reads.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// A number from 0, seven bits a byte.
    mutating func write(_ number: Int) {
        var rest = UInt64(max(0, number))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes += text.utf8
    }

    mutating func write(_ blob: [UInt8]) {
        write(blob.count)
        bytes += blob
    }

    mutating func write(_ value: Float) { little(UInt64(value.bitPattern), 4) }
    mutating func write(_ value: Double) { little(value.bitPattern, 8) }

    mutating func write(_ range: Range<Int>) {
        write(range.lowerBound)
        write(range.count)
    }

    mutating func write<Value>(optional value: Value?, _ body: (inout MessageWriter, Value) -> Void) {
        write(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    mutating func write<Value>(list: [Value], _ body: (inout MessageWriter, Value) -> Void) {
        write(list.count)
        for value in list { body(&self, value) }
    }

    private mutating func little(_ bits: UInt64, _ count: Int) {
        for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place)))) }
    }
}
