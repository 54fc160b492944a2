/// Brings text into the form that documents have: NFC, line feeds only, no control characters.
enum CanonicalText {
    /// Returns the canonical form of valid UTF-8.
    ///
    /// Line ends (CR LF, CR, NEL, the line and paragraph separators, form feeds and vertical tabs) become line feeds. Other
    /// control characters except tabs become spaces. Text that is canonical already keeps its bytes.
    static func canonical(_ utf8: [UInt8]) -> [UInt8] { Composition.composed(withoutControls(utf8)) }

    static func canonical(_ text: String) -> String {
        String(decoding: canonical(Array(text.utf8)), as: UTF8.self)
    }

    private static func withoutControls(_ utf8: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count)
        var place = 0
        while place < utf8.count {
            let byte = utf8[place]
            let next = place + 1 < utf8.count ? utf8[place + 1] : 0
            switch byte {
            case 0x0D:
                result.append(0x0A)
                if next == 0x0A { place += 1 }
            case 0x0B, 0x0C: result.append(0x0A)
            case 0x00..<0x09, 0x0E..<0x20, 0x7F: result.append(0x20)
            case 0xC2 where next >= 0x80 && next < 0xA0:
                result.append(next == 0x85 ? 0x0A : 0x20)
                place += 1
            case 0xE2 where next == 0x80 && place + 2 < utf8.count && (utf8[place + 2] | 1) == 0xA9:
                result.append(0x0A)
                place += 2
            default: result.append(byte)
            }
            place += 1
        }
        return result
    }

    /// One line of text: runs of white space become one space, and none is left at the ends.
    static func line(_ text: some StringProtocol) -> String {
        String(decoding: canonical(Array(text.utf8)), as: UTF8.self)
            .split { $0 == " " || $0 == "\n" || $0 == "\t" }.joined(separator: " ")
    }
}
