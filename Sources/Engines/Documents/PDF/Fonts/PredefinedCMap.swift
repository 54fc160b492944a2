import Foundation

/// The predefined CMaps of ISO 32000-1, table 118, as far as their codes are text in a known character set.
struct PredefinedCMap {
    private enum Kind {
        /// Two bytes, which are a CID.
        case identity
        case utf16, utf8, utf32
        /// One byte, or two from a lead byte on.
        case charset(String.Encoding, isShiftJIS: Bool)
        /// Two bytes of JIS X 0208, in EUC with the high bits set; there, single bytes are ASCII.
        case jis(isEUC: Bool)
    }

    private let kind: Kind
    let isVertical: Bool

    /// Nil for an unknown name.
    init?(_ name: String) {
        isVertical = name.hasSuffix("-V") || name == "V"
        if name.hasPrefix("Identity") {
            kind = .identity
        } else if name.contains("UCS2") || name.contains("UTF16") {
            kind = .utf16
        } else if name.contains("UTF8") {
            kind = .utf8
        } else if name.contains("UTF32") {
            kind = .utf32
        } else if name == "H" || name == "V" {
            kind = .jis(isEUC: false)
        } else if name.contains("RKSJ") {
            kind = .charset(.shiftJIS, isShiftJIS: true)
        } else if name.hasPrefix("GB") {
            kind = .charset(Self.encoding(0x0632), isShiftJIS: false)
        } else if name.contains("B5") {
            kind = .charset(Self.encoding(0x0A03), isShiftJIS: false)
        } else if name.hasPrefix("KSC") {
            kind = .charset(Self.encoding(0x0422), isShiftJIS: false)
        } else if name == "EUC-H" || name == "EUC-V" {
            kind = .jis(isEUC: true)
        } else {
            return nil
        }
    }

    private static func encoding(_ coreFoundation: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | coreFoundation)
    }

    /// The codes are CIDs, whose meaning is elsewhere.
    var isIdentity: Bool {
        if case .identity = kind { true } else { false }
    }

    /// The number of bytes of the code that begins at a place.
    func length(_ first: UInt8, _ second: UInt8?) -> Int {
        switch kind {
        case .identity: return 2
        case .jis(let isEUC): return isEUC && first < 0x80 ? 1 : 2
        case .utf16: return 2 + (first & 0xFC == 0xD8 ? 2 : 0)
        case .utf8: return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        case .utf32: return 4
        case .charset(_, let isShiftJIS):
            if isShiftJIS { return (0x81...0x9F).contains(first) || (0xE0...0xFC).contains(first) ? 2 : 1 }
            return (0x81...0xFE).contains(first) ? 2 : 1
        }
    }

    func text(_ code: ArraySlice<UInt8>) -> [UInt32]? {
        let encoding: String.Encoding
        var bytes = Array(code)
        switch kind {
        case .identity: return nil
        case .utf16: encoding = .utf16BigEndian
        case .utf8: encoding = .utf8
        case .utf32: encoding = .utf32BigEndian
        case .jis:
            encoding = .shiftJIS
            if bytes.count == 2 { bytes = Self.shiftJIS(bytes[0] & 0x7F, bytes[1] & 0x7F) }
        case .charset(let charset, _): encoding = charset
        }
        guard let text = String(bytes: bytes, encoding: encoding), !text.isEmpty else { return nil }
        return text.unicodeScalars.map(\.value)
    }

    /// The Shift JIS form of a row and a cell of JIS X 0208.
    private static func shiftJIS(_ row: UInt8, _ cell: UInt8) -> [UInt8] {
        guard (0x21...0x7E).contains(row), (0x21...0x7E).contains(cell) else { return [] }
        let lead = (row - 0x21) / 2 + (row < 0x5F ? 0x81 : 0xC1)
        let trail = row % 2 == 0 ? cell + 0x7E : cell + 0x1F + (cell >= 0x60 ? 1 : 0)
        return [lead, trail]
    }
}
