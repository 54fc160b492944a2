/// Makes the public ids of one transaction: UUIDs of version 7 (RFC 9562), so that they grow with time.
///
/// Random ids would be spread over the whole index. Each would change a page of its own, so a message to a thousand devices
/// would write a thousand pages, more of them the longer the table is.
struct PushIDs {
    private let milliseconds: UInt64
    private var count: UInt64 = 0

    /// - Parameter now: Milliseconds since 1970.
    init(now: Int64) { milliseconds = UInt64(clamping: now) & 0xFFFF_FFFF_FFFF }

    /// The next id, in lower case: 48 bits of time, 12 bits that count within the transaction, 62 random bits.
    mutating func next() -> String {
        let high = milliseconds << 16 | 0x7000 | count & 0xFFF
        count &+= 1
        let low = UInt64.random(in: 0...UInt64.max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index % 16))) & 0xF
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
