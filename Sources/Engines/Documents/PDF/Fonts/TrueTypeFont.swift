/// The character maps of a TrueType or OpenType font: what its glyphs mean.
struct TrueTypeFont {
    /// The lowest scalar of each glyph that the Unicode maps have.
    private(set) var scalars: [Int: UInt32] = [:]
    /// The glyph of each code in the map for symbols, or else in the Macintosh map.
    private(set) var glyphs: [Int: Int] = [:]
    /// The CFF program inside, when it is one.
    private(set) var cff: [UInt8]?

    private static let maxTables = 64
    private static let maxEntries = 1 << 17

    init?(_ bytes: [UInt8]) {
        let font = FontBytes(bytes: bytes)
        guard let count = font.u16(4), count > 0 else { return nil }
        var start: Int?
        for index in 0..<min(count, Self.maxTables) {
            let entry = 12 + index * 16
            guard let tag = font.u32(entry), let offset = font.u32(entry + 8), let length = font.u32(entry + 12) else {
                break
            }
            if tag == 0x636D_6170 { start = offset }
            if tag == 0x4346_4620, offset < bytes.count {
                cff = Array(bytes[offset..<min(offset + length, bytes.count)])
            }
        }
        guard let start, let maps = font.u16(start + 2) else {
            if cff == nil { return nil }
            return
        }
        for index in 0..<min(maps, Self.maxTables) {
            let entry = start + 4 + index * 8
            guard let platform = font.u16(entry), let encoding = font.u16(entry + 2), let offset = font.u32(entry + 4)
            else {
                break
            }
            let isUnicode = platform == 0 || platform == 3 && (encoding == 1 || encoding == 10)
            let isCodes = platform == 3 && encoding == 0 || platform == 1 && glyphs.isEmpty
            guard isUnicode || isCodes else { continue }
            if isCodes, platform == 3 { glyphs.removeAll() }
            read(font, at: start + offset) { code, glyph in
                if isUnicode, let scalar = Unicode.Scalar(UInt32(code)) {
                    scalars[glyph] = min(scalars[glyph] ?? .max, scalar.value)
                } else if !isUnicode {
                    glyphs[platform == 3 ? code & 0xFF : code] = glyph
                }
            }
        }
    }

    /// Formats 0, 4, 6 and 12.
    private func read(_ font: FontBytes, at start: Int, add: (_ code: Int, _ glyph: Int) -> Void) {
        switch font.u16(start) {
        case 0:
            for code in 0..<256 { if let glyph = font.u8(start + 6 + code), glyph > 0 { add(code, glyph) } }
        case 4:
            readSegments(font, at: start, add: add)
        case 6:
            guard let first = font.u16(start + 6), let count = font.u16(start + 8) else { return }
            for index in 0..<count {
                if let glyph = font.u16(start + 10 + index * 2), glyph > 0 { add(first + index, glyph) }
            }
        case 12:
            guard let groups = font.u32(start + 12) else { return }
            var left = Self.maxEntries
            for index in 0..<min(groups, Self.maxEntries) {
                let group = start + 16 + index * 12
                guard let first = font.u32(group), let last = font.u32(group + 4), let glyph = font.u32(group + 8),
                    first <= last, last <= 0x10FFFF, left > 0
                else { return }
                for code in first...min(last, first + left) { add(code, glyph + code - first) }
                left -= last - first + 1
            }
        default: return
        }
    }

    private func readSegments(_ font: FontBytes, at start: Int, add: (_ code: Int, _ glyph: Int) -> Void) {
        guard let doubled = font.u16(start + 6) else { return }
        var left = Self.maxEntries
        for index in 0..<doubled / 2 {
            let end = start + 14 + index * 2
            let first = end + doubled + 2
            let range = first + doubled * 2
            guard let endCode = font.u16(end), let startCode = font.u16(first), let delta = font.u16(first + doubled),
                let offset = font.u16(range), left > 0
            else { return }
            guard startCode <= endCode, startCode != 0xFFFF else { continue }
            left -= endCode - startCode + 1
            for code in startCode...endCode {
                if offset == 0 {
                    add(code, (code + delta) & 0xFFFF)
                } else if let glyph = font.u16(range + offset + (code - startCode) * 2), glyph > 0 {
                    add(code, (glyph + delta) & 0xFFFF)
                }
            }
        }
    }
}
