/// Finds positions at which UTF-8 may be cut.
enum UTF8Border {
    /// The last scalar border at or before a position. The text must be valid UTF-8.
    static func before(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place > 0, place < utf8.count, utf8[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }

    /// The first scalar border at or after a position. The text must be valid UTF-8.
    static func after(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place < utf8.count, utf8[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }
}
