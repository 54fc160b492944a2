import Foundation

/// The headers of a letter or of a part of one.
struct MailHeaders {
    private var values: [String: String] = [:]
    /// Whether there was an empty line, or a text, behind them.
    private(set) var isWhole = false

    /// The most bytes of all headers together. Those of real letters are a tenth of it.
    private static let mostBytes = 256 << 10

    /// Reads the headers at the start of some bytes. Returns what is behind the empty line.
    static func read(_ bytes: ArraySlice<UInt8>) -> (headers: MailHeaders, body: ArraySlice<UInt8>) {
        var (headers, rest, name) = (MailHeaders(), bytes, nil as String?)
        let limit = bytes.startIndex + min(bytes.count, mostBytes)
        while rest.startIndex < limit {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            var line = rest[..<end]
            if line.last == 0x0D { line = line.dropLast() }
            let next = rest[min(end + 1, rest.endIndex)...]
            headers.isWhole = line.isEmpty
            if line.isEmpty { return (headers, next) }
            if line.first == 0x20 || line.first == 0x09 {
                if let name { headers.values[name]? += " " + text(line) }
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            {
                let key = String(decoding: line[..<colon], as: UTF8.self).lowercased()
                // The first header of a name counts.
                name = headers.values[key] == nil ? key : nil
                if let name { headers.values[name] = text(line[(colon + 1)...]) }
            } else if !line.starts(with: Array("From ".utf8)), !line.starts(with: Array(">From ".utf8)) {
                // No header: the text begins without an empty line.
                headers.isWhole = true
                return (headers, rest)
            }
            rest = next
        }
        return (headers, rest)
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        let text = String(validating: line, as: UTF8.self) ?? MailEncoding.text(Array(line), nil)
        return text.trimming(\.isWhitespace)
    }

    var isEmpty: Bool { values.isEmpty }

    /// A header as it is written, in one line; nil for none.
    subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A header with its encoded words decoded.
    func decoded(_ name: String) -> String? { self[name].map { NoteTitle.line(MailEncoding.header($0)) } }

    /// The first word of a header such as `text/html`, in lower case.
    func kind(_ name: String) -> String? {
        self[name].map { $0.prefix { $0 != ";" }.trimming(\.isWhitespace).lowercased() }
    }

    /// A parameter of a header, such as `boundary`, without quotation marks. Values in pieces (RFC 2231) are joined.
    func parameter(_ wanted: String, of name: String) -> String? {
        guard let value = self[name] else { return nil }
        var pieces: [(name: String, value: String)] = []
        for part in Self.parts(value).dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimming(\.isWhitespace) }
            guard sides.count == 2 else { continue }
            let key = sides[0].lowercased()
            let text =
                sides[1].count >= 2 && sides[1].hasPrefix("\"") && sides[1].hasSuffix("\"")
                ? String(sides[1].dropFirst().dropLast()) : sides[1]
            if key == wanted { return MailEncoding.header(text) }
            if key.hasPrefix(wanted + "*") { pieces.append((key, text)) }
        }
        guard !pieces.isEmpty else { return nil }
        let joined = pieces.map { piece in
            // charset'language'percent%20escapes
            let text = piece.value.split(separator: "'", omittingEmptySubsequences: false)
            return text.count == 3 && piece.name.hasSuffix("*") ? String(text[2]) : piece.value
        }.joined()
        return joined.removingPercentEncoding ?? joined
    }

    /// The parts of a value between semicolons that are in no quotation.
    private static func parts(_ value: String) -> [String] {
        var (parts, part, isQuoted) = ([String](), "", false)
        for sign in value {
            if sign == "\"" { isQuoted.toggle() }
            if sign == ";", !isQuoted {
                parts.append(part)
                part = ""
            } else {
                part.append(sign)
            }
        }
        return parts + [part]
    }
}
