/// The filters that write bytes as ASCII characters.
enum ASCIIFilters {
    static func decodeHex(_ data: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(data.count / 2)
        var high: UInt8?
        for byte in data {
            if byte == UInt8(ascii: ">") { break }
            guard let digit = PDFLexer.hexValue(byte) else { continue }
            if let first = high {
                output.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if let high { output.append(high << 4) }
        return output
    }

    /// Five digits of base 85 are four bytes; `z` is four zeros.
    static func decode85(_ data: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(data.count / 5 * 4)
        var group: UInt64 = 0
        var count = 0
        for byte in data {
            switch byte {
            case UInt8(ascii: "!")...UInt8(ascii: "u"):
                group = group * 85 + UInt64(byte - UInt8(ascii: "!"))
                count += 1
                if count == 5 {
                    for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: group >> UInt64(shift))) }
                    group = 0
                    count = 0
                }
            case UInt8(ascii: "z") where count == 0: output.append(contentsOf: [0, 0, 0, 0])
            case UInt8(ascii: "~"): return finished85(output, group, count)
            default: continue
            }
        }
        return finished85(output, group, count)
    }

    private static func finished85(_ output: [UInt8], _ group: UInt64, _ count: Int) -> [UInt8] {
        guard count > 1 else { return output }
        var group = group
        for _ in count..<5 { group = group * 85 + 84 }
        return output + [24, 16, 8].prefix(count - 1).map { UInt8(truncatingIfNeeded: group >> UInt64($0)) }
    }
}
