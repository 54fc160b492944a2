/// Finds an incomplete scalar at the end of a text.
enum UTF8Tail {
    /// The number of bytes at the end that may begin a scalar: 0 to 3.
    static func count(of bytes: [UInt8]) -> Int {
        for (count, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return count < length ? count : 0
        }
        return 0
    }
}
