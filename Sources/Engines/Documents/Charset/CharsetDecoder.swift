internal import CCharset

/// Decodes the bytes of a text file of any character set to UTF-8.
package enum CharsetDecoder {
    /// A decoded text.
    package struct Decoded: Equatable {
        /// Valid UTF-8, without a byte order mark.
        package var utf8: [UInt8]
        /// The character set in ICU's or the web's name, lower case.
        package var charset: String
        /// Whether neither the file nor its sender says the character set.
        package var isGuessed: Bool
    }

    /// Decodes bytes. In this order: byte order mark, declared character set, valid UTF-8, detection by ICU.
    ///
    /// - Parameters:
    ///   - declared: What the sender or the file says, such as the `charset` of a content type. Unknown names and text that
    ///     contradicts the declaration are ignored.
    ///   - maxBytes: The most bytes of UTF-8 that are of use; the rest may be missing.
    package static func decode(_ bytes: [UInt8], declared: String? = nil, maxBytes: Int) -> Decoded {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return Decoded(utf8: repaired(bytes.dropFirst(3)), charset: "utf-8", isGuessed: false)
        }
        // No character takes more than four bytes, and none gives less than one.
        let useful = bytes.prefix(maxBytes.multipliedReportingOverflow(by: 4).overflow ? Int.max : maxBytes * 4)
        if let (charset, length) = byteOrderMark(bytes), let utf8 = convert(useful.dropFirst(length), from: charset) {
            return Decoded(utf8: utf8, charset: charset, isGuessed: false)
        }
        let validity = UTF8Validity(bytes)
        if let charset = declared.flatMap(CharsetLabel.charset(of:)) {
            if charset == "utf-8", validity.isLikely {
                return Decoded(utf8: repaired(bytes[...]), charset: charset, isGuessed: false)
            }
            if charset != "utf-8", !(validity.isValid && validity.multibyte > 0),
                let utf8 = convert(useful, from: charset)
            {
                return Decoded(utf8: utf8, charset: charset, isGuessed: false)
            }
        }
        if validity.isValid { return Decoded(utf8: bytes, charset: "utf-8", isGuessed: false) }
        if validity.isLikely { return Decoded(utf8: repaired(bytes[...]), charset: "utf-8", isGuessed: true) }
        if let charset = detect(bytes), let utf8 = convert(useful, from: charset) {
            return Decoded(utf8: utf8, charset: charset, isGuessed: true)
        }
        let utf8 = convert(useful, from: "windows-1252") ?? repaired(useful)
        return Decoded(utf8: utf8, charset: "windows-1252", isGuessed: true)
    }

    /// The character set of a byte order mark and the mark's length. UTF-8's is not among them.
    private static func byteOrderMark(_ bytes: [UInt8]) -> (charset: String, length: Int)? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return ("utf-32le", 4) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return ("utf-32be", 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return ("utf-16le", 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return ("utf-16be", 2) }
        return nil
    }

    /// Bytes as UTF-8; U+FFFD replaces what is none.
    static func repaired(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

    /// The character set that ICU finds most likely, from the first 64 KiB; nil when it finds none.
    static func detect(_ bytes: [UInt8]) -> String? {
        let sample = bytes.prefix(64 << 10)
        var name = [CChar](repeating: 0, count: 64)
        var confidence: Int32 = 0
        let found = unsafe sample.withUnsafeBytes { raw in
            unsafe name.withUnsafeMutableBufferPointer { name in
                unsafe charset_detect(
                    raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count), name.baseAddress,
                    Int32(name.count), &confidence)
            }
        }
        guard found != 0, confidence >= 10 else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return CharsetLabel.charset(of: text)
    }

    /// Converts bytes of a character set to UTF-8; nil when ICU does not know the set or the bytes are too many for it.
    static func convert(_ bytes: ArraySlice<UInt8>, from charset: String) -> [UInt8]? {
        guard bytes.count <= Int(Int32.max) / 4 else { return nil }
        if bytes.isEmpty { return [] }
        // One byte gives at most two units of UTF-16 in all character sets that ICU has, one in nearly all.
        var units = [UInt16](repeating: 0, count: bytes.count + 16)
        for _ in 0..<2 {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe units.withUnsafeMutableBufferPointer { units in
                    unsafe charset_decode(
                        charset, raw.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(raw.count),
                        units.baseAddress, Int32(units.count))
                }
            }
            guard count >= 0 else { return nil }
            if Int(count) <= units.count {
                return Array(String(decoding: units.prefix(Int(count)), as: UTF16.self).utf8)
            }
            units = [UInt16](repeating: 0, count: Int(count))
        }
        return nil
    }
}
