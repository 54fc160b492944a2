/// Names of character sets as files and servers write them.
enum CharsetLabel {
    /// The character set that a label means on the web, in a name that ICU knows.
    ///
    /// Labels of old sets mean their supersets, as browsers read them (WHATWG Encoding Standard). Sets in which ASCII bytes
    /// do not mean ASCII characters are refused, except UTF-16.
    static func charset(of label: String) -> String? {
        let trimmed = label.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
            .prefix { !$0.isWhitespace && $0 != "\"" && $0 != "'" && $0 != ";" }.lowercased()
        guard !trimmed.isEmpty, trimmed.utf8.count <= 40 else { return nil }
        if let known = supersets[trimmed] { return known }
        let isRefused = [
            "utf-7", "utf7", "hz", "iso-2022-cn", "iso-2022-kr", "scsu", "bocu", "ebcdic", "ibm-", "cp037",
        ]
        .contains { trimmed.hasPrefix($0) }
        guard !isRefused, trimmed.utf8.allSatisfy({ isNameByte($0) }) else { return nil }
        return trimmed
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
        default: false
        }
    }

    private static let supersets: [String: String] = [
        "utf8": "utf-8", "utf-8": "utf-8", "unicode-1-1-utf-8": "utf-8",
        "iso-8859-1": "windows-1252", "iso8859-1": "windows-1252", "iso_8859-1": "windows-1252",
        "latin1": "windows-1252", "latin-1": "windows-1252", "l1": "windows-1252", "ascii": "windows-1252",
        "us-ascii": "windows-1252", "ansi_x3.4-1968": "windows-1252", "cp1252": "windows-1252",
        "x-cp1252": "windows-1252",
        "iso-8859-9": "windows-1254", "latin5": "windows-1254", "iso-8859-11": "windows-874", "tis-620": "windows-874",
        "gb2312": "gb18030", "gb_2312-80": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb18030": "gb18030",
        "shift_jis": "windows-31j", "shift-jis": "windows-31j", "sjis": "windows-31j", "x-sjis": "windows-31j",
        "ms_kanji": "windows-31j", "windows-31j": "windows-31j",
        "euc-kr": "windows-949", "ks_c_5601-1987": "windows-949", "korean": "windows-949",
        "big5": "big5-hkscs", "big5-hkscs": "big5-hkscs", "x-x-big5": "big5-hkscs",
        "utf-16": "utf-16le", "utf-16le": "utf-16le", "utf-16be": "utf-16be", "unicode": "utf-16le",
        "x-user-defined": "windows-1252", "visual": "iso-8859-8", "logical": "iso-8859-8",
        "iso-8859-8-i": "iso-8859-8", "x-mac-roman": "macintosh", "iso-2022-jp": "iso-2022-jp",
    ]
}
