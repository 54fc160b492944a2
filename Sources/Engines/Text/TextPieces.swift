/// The characters of a text as ranges of bytes, fast for those that never join with their neighbours.
package enum TextPieces {
    /// The end of the character that begins at a place of valid UTF-8.
    package static func end(from place: Int, in bytes: [UInt8]) -> Int {
        let first = bytes[place]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let next = place + length
        if next >= bytes.count { return bytes.count }
        if isAlone(place, in: bytes), isAlone(next, in: bytes), first != 0x0D || bytes[next] != 0x0A { return next }
        var window = 64
        while true {
            let part = bytes[place..<min(bytes.count, place + window)]
            let character = String(decoding: part, as: UTF8.self).first.map { $0.utf8.count } ?? length
            // A character that reaches the end of the window may go on behind it.
            if part.endIndex == bytes.count || character + 8 < window { return min(bytes.count, place + character) }
            window *= 4
        }
    }

    /// Whether the scalar at a place never joins with another such scalar.
    private static func isAlone(_ place: Int, in bytes: [UInt8]) -> Bool {
        let first = bytes[place]
        if first < 0x80 { return true }
        func low(_ index: Int) -> UInt32 { index < bytes.count ? UInt32(bytes[index] & 0x3F) : 0 }
        if first < 0xE0 {
            let value = UInt32(first & 0x1F) << 6 | low(place + 1)
            return value < 0x300 || (0x370...0x482).contains(value) || (0x48A...0x52F).contains(value)
        }
        guard first < 0xF0 else { return false }
        let value = UInt32(first & 0x0F) << 12 | low(place + 1) << 6 | low(place + 2)
        return switch value {
        case 0x2000...0x200B, 0x200E...0x20CF, 0x2100...0x2BFF, 0x3001...0x3029, 0x3031...0x3096, 0x309B...0x30FF,
            0x3400...0x9FFF, 0xAC00...0xD7A3, 0xFF01...0xFF9D:
            true
        default: false
        }
    }
}
