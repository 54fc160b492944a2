import Documents
import Foundation

/// The encodings by which letters carry bytes and characters that are not ASCII.
enum MailEncoding {
    /// The bytes of a body by its `Content-Transfer-Encoding`.
    static func decoded(_ body: ArraySlice<UInt8>, _ encoding: String) -> [UInt8] {
        switch encoding.lowercased() {
        case "base64": base64(body)
        case "quoted-printable": quotedPrintable(body, inHeader: false)
        default: Array(body)
        }
    }

    /// A header's value with its encoded words (RFC 2047) decoded. What is no such word stays as it is.
    static func header(_ value: String) -> String {
        var (result, rest, wasWord, words) = ("", value[...], false, 0)
        while words < mostWords, let start = rest.range(of: "=?") {
            words += 1
            let before = rest[..<start.lowerBound]
            guard let (word, end) = word(rest[start.upperBound...]) else {
                result += rest[..<start.upperBound]
                (rest, wasWord) = (rest[start.upperBound...], false)
                continue
            }
            // White space between two encoded words is no text.
            if !(wasWord && before.allSatisfy(\.isWhitespace)) { result += before }
            result += word
            (rest, wasWord) = (rest[end...], true)
        }
        return result + rest
    }

    /// The encoded word behind `=?`, and its end.
    private static func word(_ text: Substring) -> (String, String.Index)? {
        let parts = text.prefix(Self.mostWord).split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[3].hasPrefix("="), parts[0].allSatisfy(\.isASCII) else { return nil }
        let bytes: [UInt8]
        switch parts[1].lowercased() {
        case "b": bytes = base64(Array(parts[2].utf8)[...])
        case "q": bytes = quotedPrintable(Array(parts[2].utf8)[...], inHeader: true)
        default: return nil
        }
        // A language may stand behind the character set.
        let charset = parts[0].split(separator: "*").first.map(String.init)
        return (Self.text(bytes, charset), text.index(after: parts[3].startIndex))
    }

    /// Characters of an encoded word at most. The standard allows 75; programs write more.
    private static let mostWord = 600
    /// Encoded words of a header that are decoded. A list of a hundred people has about two hundred.
    private static let mostWords = 2000

    /// Bytes as text.
    static func text(_ bytes: [UInt8], _ charset: String?) -> String {
        let decoded = CharsetDecoder.decode(bytes, declared: charset, maxBytes: ExportLimits.mostItemBytes)
        return String(decoding: decoded.utf8, as: UTF8.self)
    }

    private static func base64(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let signs = text.filter { Self.isBase64($0) }
        // What is cut gives its whole bytes.
        let whole = signs.count % 4 == 1 ? signs.dropLast() : signs[...]
        let padded = Array(whole) + Array(repeating: UInt8(ascii: "="), count: (4 - whole.count % 4) % 4)
        return Data(base64Encoded: Data(padded)).map { [UInt8]($0) } ?? []
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "/")
    }

    private static func quotedPrintable(_ text: ArraySlice<UInt8>, inHeader: Bool) -> [UInt8] {
        var (result, place): ([UInt8], Int) = ([], text.startIndex)
        result.reserveCapacity(text.count)
        while place < text.endIndex {
            let byte = text[place]
            place += 1
            if byte == UInt8(ascii: "_"), inHeader {
                result.append(0x20)
            } else if byte == UInt8(ascii: "=") {
                if place + 1 < text.endIndex, let high = hex(text[place]), let low = hex(text[place + 1]) {
                    result.append(high << 4 | low)
                    place += 2
                } else {
                    // A line that goes on: the sign, white space and the line end are no text.
                    let end = text[place...].firstIndex { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D } ?? text.endIndex
                    if end == text.endIndex { break }
                    if text[end] == 0x0A { place = end + 1 } else { result.append(byte) }
                }
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}
