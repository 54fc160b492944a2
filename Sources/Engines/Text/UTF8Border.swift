/// Finds positions at which UTF-8 may be cut.
package enum UTF8Border {
    /// The last scalar border at or before a position. The text must be valid UTF-8.
    package static func before(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place > 0, place < utf8.count, utf8[place] & 0xC0 == 0x80 { place -= 1 }
        return place
    }

    /// The first scalar border at or after a position. The text must be valid UTF-8.
    package static func after(_ place: Int, in utf8: [UInt8]) -> Int {
        var place = min(max(0, place), utf8.count)
        while place < utf8.count, utf8[place] & 0xC0 == 0x80 { place += 1 }
        return place
    }

    /// The number of bytes at the end, 0 to 3, that begin a scalar without ending it. The bytes need not be valid.
    package static func incompleteTail(of bytes: [UInt8]) -> Int {
        for (index, byte) in bytes.suffix(3).reversed().enumerated() {
            let promised =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 0
                }
            if promised > index + 1 { return index + 1 }
            if byte & 0xC0 != 0x80 { return 0 }
        }
        return 0
    }

    /// The part of a text in a range of bytes, whose ends move back to scalar borders.
    package static func part(of text: String, _ range: Range<Int>) -> (range: Range<Int>, text: String) {
        let utf8 = text.utf8
        func border(_ offset: Int) -> String.Index {
            var index = utf8.index(utf8.startIndex, offsetBy: min(max(0, offset), utf8.count))
            while index > utf8.startIndex, index < utf8.endIndex, utf8[index] & 0xC0 == 0x80 {
                index = utf8.index(before: index)
            }
            return index
        }
        let (start, end) = (border(range.lowerBound), border(range.upperBound))
        guard start < end else { return (0..<0, "") }
        let lower = utf8.distance(from: utf8.startIndex, to: start)
        return (lower..<lower + utf8.distance(from: start, to: end), String(text[start..<end]))
    }
}
