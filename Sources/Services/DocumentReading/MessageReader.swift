/// Reads what ``MessageWriter`` wrote. The bytes may be hostile: everything is checked, and nothing is reserved that the
/// bytes do not fill.
struct MessageReader {
    /// The bytes are no message.
    struct Damaged: Error {}

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func number() throws(Damaged) -> Int {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while place < bytes.count, shift < 63 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard let number = Int(exactly: value) else { throw Damaged() }
                return number
            }
            shift += 7
        }
        throw Damaged()
    }

    mutating func blob() throws(Damaged) -> [UInt8] {
        let count = try number()
        guard count <= bytes.count - place else { throw Damaged() }
        defer { place += count }
        return Array(bytes[place..<(place + count)])
    }

    mutating func text() throws(Damaged) -> String {
        guard let text = String(validating: try blob(), as: UTF8.self) else { throw Damaged() }
        return text
    }

    mutating func float() throws(Damaged) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: try little(4))) }
    mutating func double() throws(Damaged) -> Double { Double(bitPattern: try little(8)) }

    mutating func range() throws(Damaged) -> Range<Int> {
        let (lower, count) = (try number(), try number())
        let (upper, overflow) = lower.addingReportingOverflow(count)
        guard !overflow else { throw Damaged() }
        return lower..<upper
    }

    mutating func optional<Value>(_ body: (inout MessageReader) throws(Damaged) -> Value) throws(Damaged) -> Value? {
        switch try number() {
        case 0: return nil
        case 1: return try body(&self)
        default: throw Damaged()
        }
    }

    mutating func list<Value>(_ body: (inout MessageReader) throws(Damaged) -> Value) throws(Damaged) -> [Value] {
        let count = try number()
        // Each value takes a byte or more.
        guard count <= bytes.count - place else { throw Damaged() }
        var list: [Value] = []
        for _ in 0..<count { list.append(try body(&self)) }
        return list
    }

    private mutating func little(_ count: Int) throws(Damaged) -> UInt64 {
        guard count <= bytes.count - place else { throw Damaged() }
        defer { place += count }
        return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
