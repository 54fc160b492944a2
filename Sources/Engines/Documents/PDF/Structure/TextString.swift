/// Text outside of pages: titles, labels, stated text.
enum TextString {
    /// UTF-16 or UTF-8 behind a byte order mark, else PDFDocEncoding.
    static func decode(_ bytes: [UInt8]) -> String {
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: bytes.dropFirst(3), as: UTF8.self) }
        var text = ""
        for byte in bytes {
            if byte >= 32, let scalar = Unicode.Scalar(Encodings.pdfDoc[Int(byte)]), scalar.value > 0 {
                text.unicodeScalars.append(scalar)
            } else if byte == 9 || byte == 10 || byte == 13 {
                text += " "
            }
        }
        return text
    }

    /// One line without control characters and language marks, at most 1,000 characters.
    static func line(_ bytes: [UInt8]) -> String {
        var line = ""
        var skips = false
        for scalar in decode(bytes).unicodeScalars {
            // Escape characters enclose the tag of a language.
            if scalar.value == 0x1B { skips.toggle() }
            if skips || scalar.value == 0x1B { continue }
            let isSpace = scalar.properties.isWhitespace || scalar.value < 0x20
            if isSpace, line.last == " " || line.isEmpty { continue }
            line.unicodeScalars.append(isSpace ? " " : scalar)
            if line.utf8.count > 4_000 { break }
        }
        if line.last == " " { line.removeLast() }
        return line
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String {
        var units: [UInt16] = []
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}
