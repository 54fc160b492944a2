/// Counts a frequent byte, eight bytes at a time.
enum ByteCount {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let high: UInt64 = 0x8080_8080_8080_8080

    /// Returns 4 for each occurrence that does not follow a word byte plus 1 for each that does, at most `most` in all.
    ///
    /// - Parameters:
    ///   - start: Readable, with `count` readable bytes after it. The byte at `start` itself is not counted.
    static func quarters(of byte: UInt8, after start: UnsafePointer<UInt8>, count: Int, most: Int) -> Int {
        let needle = ones &* UInt64(byte)
        var quarters = 0
        var place = 1
        while place + 7 <= count, quarters < most {
            let raw = unsafe UnsafeRawPointer(start + place)
            let found = unsafe zeros(raw.loadUnaligned(as: UInt64.self) ^ needle)
            if found != 0 {
                let follows = unsafe found & inWords((raw - 1).loadUnaligned(as: UInt64.self))
                quarters += 4 * found.nonzeroBitCount - 3 * follows.nonzeroBitCount
            }
            place += 8
        }
        while place <= count, quarters < most {
            if unsafe start[place] == byte { unsafe quarters += WordBytes.contains(start[place - 1]) ? 1 : 4 }
            place += 1
        }
        return min(most, quarters)
    }

    /// The upper bit of each byte that is zero.
    @inline(__always)
    private static func zeros(_ bytes: UInt64) -> UInt64 { ~((bytes & ~high &+ ~high) | bytes) & high }

    /// The upper bit of each byte that ``WordBytes`` contains.
    @inline(__always)
    private static func inWords(_ bytes: UInt64) -> UInt64 {
        let low = bytes & ~high
        // Added to seven bits, 0x80 − n carries into the upper bit from n on.
        let letters = (low &+ ones &* (0x80 - 0x61)) & ~(low &+ ones &* (0x80 - 0x7B))
        let digits = (low &+ ones &* (0x80 - 0x30)) & ~(low &+ ones &* (0x80 - 0x3A))
        return (bytes | letters | digits) & high
    }
}
