import Documents
import Foundation

/// The text of a file in any character set.
struct FileText {
    /// The text, with line feeds as line ends and without U+0000.
    var text: String
    /// What was changed for that.
    var warnings: [String]

    /// Reads bytes as books are read: by byte order mark, as UTF-8, else in the most likely character set.
    init(_ bytes: [UInt8]) {
        (text, warnings) = Self.decoded(bytes)
        let clean = Self.withoutNUL(text)
        if clean.count > 0 {
            text = clean.text
            warnings.append(Self.nulWarning(clean.count))
        }
        if text.utf8.contains(UInt8(ascii: "\r")) {
            text = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        }
    }

    private static func decoded(_ bytes: [UInt8]) -> (text: String, warnings: [String]) {
        if let mark = wideMark(bytes) {
            let decoded = CharsetDecoder.decode(mark + bytes, maxBytes: bytes.count * 4)
            return (
                String(decoding: decoded.utf8, as: UTF8.self),
                ["is not UTF-8; read as \(decoded.charset), which is a guess"]
            )
        }
        if let text = String(validating: bytes, as: UTF8.self) {
            return (text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text, [])
        }
        var decoded = CharsetDecoder.decode(bytes, maxBytes: bytes.count * 4)
        if decoded.isGuessed, !keepsWords(of: bytes, decoded.utf8) {
            decoded = CharsetDecoder.decode(bytes, declared: "windows-1252", maxBytes: bytes.count * 4)
            decoded.isGuessed = true
        }
        let text = String(decoding: decoded.utf8, as: UTF8.self)
        let warning =
            decoded.charset == "utf-8"
            ? "has bytes that are not UTF-8; U+FFFD stands for them"
            : "is not UTF-8; read as \(decoded.charset)\(decoded.isGuessed ? ", which is a guess" : "")"
        return (text, [warning])
    }

    /// Whether a decoded text has the first words of its bytes that are in ASCII, which nearly all character sets have.
    private static func keepsWords(of bytes: [UInt8], _ decoded: [UInt8]) -> Bool {
        let text = String(decoding: decoded, as: UTF8.self)
        let words = bytes.split { !($0 < 0x80 && ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10) }.lazy
            .filter { $0.count >= 6 }.prefix(200)
        // The first byte may be the second one of a character.
        return words.allSatisfy { text.contains(String(decoding: $0.dropFirst(), as: UTF8.self)) }
    }

    /// The byte order mark that text in UTF-16 or UTF-32 lacks, by the places of its zeros; nil for other text.
    private static func wideMark(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 8, bytes.count % 2 == 0, bytes[0] < 0xFE else { return nil }
        var zeros = [0, 0, 0, 0]
        let sample = bytes.prefix(4096)
        for (place, byte) in sample.enumerated() where byte == 0 { zeros[place % 4] += 1 }
        let most = sample.count / 4
        // Most characters of such text are below U+0100.
        let isFull = zeros.map { $0 * 10 >= most * 7 }
        let isClear = zeros.map { $0 * 20 <= most }
        if isFull[1], isFull[2], isFull[3], isClear[0] { return [0xFF, 0xFE, 0, 0] }
        if isFull[0], isFull[1], isFull[2], isClear[3] { return [0, 0, 0xFE, 0xFF] }
        if isFull[1], isFull[3], isClear[0], isClear[2] { return [0xFF, 0xFE] }
        if isFull[0], isFull[2], isClear[1], isClear[3] { return [0xFE, 0xFF] }
        return nil
    }

    /// Replaces U+0000, at which the text of databases ends, by U+FFFD.
    static func withoutNUL(_ text: String) -> (text: String, count: Int) {
        let count = text.utf8.count { $0 == 0 }
        return count == 0 ? (text, 0) : (text.replacing("\0", with: "\u{FFFD}"), count)
    }

    static func nulWarning(_ count: Int) -> String {
        count == 1
            ? "has a character U+0000; U+FFFD stands for it" : "has \(count) characters U+0000; U+FFFD stands for them"
    }
}
