/// The LZW filter: codes of 9 to 12 bits, 256 clears the table, 257 ends.
enum LZW {
    static func decode(_ data: [UInt8], earlyChange: Bool, limit: Int) -> (bytes: [UInt8], isCut: Bool) {
        var output: [UInt8] = []
        // An entry is a part of the output: where it begins and its length.
        var entries: [(start: Int, count: Int)] = []
        var buffer: UInt32 = 0
        var bits = 0
        var width = 9
        var previous: (start: Int, count: Int)?
        let early = earlyChange ? 1 : 0
        for byte in data {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            guard bits >= width else { continue }
            bits -= width
            let code = Int(buffer >> UInt32(bits) & (1 << UInt32(width) - 1))
            if code == 257 { break }
            if code == 256 {
                entries.removeAll(keepingCapacity: true)
                width = 9
                previous = nil
                continue
            }
            let start = output.count
            if code < 256 {
                output.append(UInt8(code))
            } else if code - 258 < entries.count {
                let entry = entries[code - 258]
                for index in entry.start..<entry.start + entry.count { output.append(output[index]) }
            } else if let previous, code - 258 == entries.count {
                for index in previous.start..<previous.start + previous.count { output.append(output[index]) }
                output.append(output[previous.start])
            } else {
                break
            }
            if let previous, entries.count < 4096 - 258 { entries.append((previous.start, previous.count + 1)) }
            previous = (start, output.count - start)
            let next = entries.count + 259 + early
            width = next > 2048 ? 12 : next > 1024 ? 11 : next > 512 ? 10 : 9
            if output.count > limit { return (Array(output[..<limit]), true) }
        }
        return (output, false)
    }
}
