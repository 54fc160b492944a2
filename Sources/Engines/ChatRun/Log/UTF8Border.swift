/// Finds where UTF-8 may be cut.
enum UTF8Border {
    /// The last place between two scalars that is not behind a place. The text is valid UTF-8.
    static func before(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place > 0, place < utf8.count, utf8[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }

    /// The first place between two scalars that is not before a place. The text is valid UTF-8.
    static func after(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place < utf8.count, utf8[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }
}
