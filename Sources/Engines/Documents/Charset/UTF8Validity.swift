/// How well bytes read as UTF-8.
struct UTF8Validity {
    /// The number of sequences of two to four bytes that are valid.
    private(set) var multibyte = 0
    /// The number of bytes that belong to no valid sequence.
    private(set) var invalid = 0

    var isValid: Bool { invalid == 0 }

    /// Whether the bytes are UTF-8, perhaps with some damage: then valid sequences are many times more than invalid bytes,
    /// which text in another character set never shows.
    var isLikely: Bool { isValid || multibyte >= invalid * 20 }

    init(_ bytes: [UInt8]) {
        var place = 0
        while place < bytes.count {
            let first = bytes[place]
            if first < 0x80 {
                place += 1
                continue
            }
            let length = Self.length(bytes, at: place)
            if length == 0 {
                invalid += 1
                place += 1
            } else {
                multibyte += 1
                place += length
            }
        }
    }

    /// The length of the valid sequence at a place whose first byte is not ASCII, or 0 (Unicode 15, table 3-7).
    private static func length(_ bytes: [UInt8], at place: Int) -> Int {
        let first = bytes[place]
        let length =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0, place + length <= bytes.count else { return 0 }
        let second = bytes[place + 1]
        let valid: ClosedRange<UInt8> =
            switch first {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        guard valid.contains(second) else { return 0 }
        return bytes[(place + 2)..<max(place + 2, place + length)].allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
    }
}
