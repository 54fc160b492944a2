/// The names and the encoding of a CFF font program, as of Adobe's Technical Note 5176.
struct CFFFont {
    /// The name of each glyph; for a CID font nil.
    private(set) var names: [String]?
    /// The CID of each glyph of a CID font.
    private(set) var cids: [Int] = []
    /// The glyph of each code in the font's own encoding; empty for the standard one.
    private(set) var encoding: [Int: Int] = [:]
    private(set) var hasStandardEncoding = false

    private static let maxGlyphs = 65_536

    private struct Index {
        var ranges: [Range<Int>]
        var end: Int
    }

    init?(_ bytes: [UInt8]) {
        let font = FontBytes(bytes: bytes)
        guard let header = font.u8(2), let nameIndex = Self.index(font, at: header),
            let topIndex = Self.index(font, at: nameIndex.end), let top = topIndex.ranges.first,
            let strings = Self.index(font, at: topIndex.end)
        else { return nil }
        let operators = Self.dictionary(font, top)
        guard let start = operators[17]?.first, let glyphs = Self.index(font, at: start) else { return nil }
        let count = glyphs.ranges.count
        let isCID = operators[1230] != nil
        let ids = Self.charset(font, at: operators[15]?.first ?? 0, count: count, isCID: isCID)
        if isCID {
            cids = ids
            return
        }
        names = ids.map { id in
            if id < Self.standardStrings.count { return Self.standardStrings[id] }
            let index = id - Self.standardStrings.count
            guard index < strings.ranges.count else { return ".notdef" }
            return PDFObjectParser.name(bytes[strings.ranges[index]])
        }
        let place = operators[16]?.first ?? 0
        hasStandardEncoding = place == 0
        if place > 1 { encoding = Self.encoding(font, at: place) }
    }

    private static func index(_ font: FontBytes, at start: Int) -> Index? {
        guard let count = font.u16(start), start >= 0 else { return nil }
        guard count > 0 else { return Index(ranges: [], end: start + 2) }
        guard let size = font.u8(start + 2), (1...4).contains(size) else { return nil }
        let base = start + 2 + (count + 1) * size
        var ranges: [Range<Int>] = []
        guard var from = font.number(start + 3, size: size) else { return nil }
        for item in 1...count {
            guard let to = font.number(start + 3 + item * size, size: size), to >= from, base + to <= font.count else {
                return nil
            }
            ranges.append(base + from..<base + to)
            from = to
        }
        return Index(ranges: ranges, end: base + from)
    }

    /// The whole numbers by operator; two-byte operators count from 1200.
    private static func dictionary(_ font: FontBytes, _ range: Range<Int>) -> [Int: [Int]] {
        var result: [Int: [Int]] = [:]
        var operands: [Int] = []
        var place = range.lowerBound
        while place < range.upperBound, let byte = font.u8(place) {
            place += 1
            switch byte {
            case 0...21:
                var code = byte
                if byte == 12 {
                    code = 1200 + (font.u8(place) ?? 0)
                    place += 1
                }
                result[code] = operands
                operands = []
            case 28:
                operands.append(font.u16(place) ?? 0)
                place += 2
            case 29:
                operands.append(font.u32(place) ?? 0)
                place += 4
            case 30:
                while let nibbles = font.u8(place), place < range.upperBound {
                    place += 1
                    if nibbles & 15 == 15 || nibbles >> 4 == 15 { break }
                }
                operands.append(0)
            case 32...246: operands.append(byte - 139)
            case 247...250:
                operands.append((byte - 247) * 256 + (font.u8(place) ?? 0) + 108)
                place += 1
            case 251...254:
                operands.append(-(byte - 251) * 256 - (font.u8(place) ?? 0) - 108)
                place += 1
            default: break
            }
        }
        return result
    }

    private static func charset(_ font: FontBytes, at start: Int, count: Int, isCID: Bool) -> [Int] {
        // The predefined charsets begin as the standard strings do.
        if start <= 2, !isCID { return Array(0..<count) }
        var ids = [0]
        guard start > 2, let format = font.u8(start) else { return Array(0..<count) }
        var place = start + 1
        while ids.count < min(count, maxGlyphs), let id = font.u16(place) {
            place += 2
            guard format > 0 else {
                ids.append(id)
                continue
            }
            guard let more = format == 1 ? font.u8(place) : font.u16(place) else { break }
            place += format == 1 ? 1 : 2
            for next in id...id + min(more, count) { ids.append(next) }
        }
        return ids
    }

    private static func encoding(_ font: FontBytes, at start: Int) -> [Int: Int] {
        guard let format = font.u8(start), let count = font.u8(start + 1) else { return [:] }
        var encoding: [Int: Int] = [:]
        var glyph = 1
        for item in 0..<count {
            if format & 127 == 0 {
                guard let code = font.u8(start + 2 + item) else { break }
                encoding[code] = glyph
                glyph += 1
            } else {
                guard let code = font.u8(start + 2 + item * 2), let more = font.u8(start + 3 + item * 2) else { break }
                for next in 0...more {
                    encoding[code + next] = glyph
                    glyph += 1
                }
            }
        }
        return encoding
    }
}
