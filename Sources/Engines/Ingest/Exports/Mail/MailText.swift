import Documents

/// The text of a letter: its plain text, else that of its HTML; attached files by name.
struct MailText {
    private(set) var parts: [String] = []
    private(set) var files: [String] = []
    private(set) var warnings: [String] = []
    private var partsRead = 0

    /// Parts within each other at most, and parts of a letter at most. Real letters have three and about fifty.
    private static let (mostDepth, mostParts) = (10, 500)

    init(_ headers: MailHeaders, _ body: ArraySlice<UInt8>) { read(headers, body, depth: 0) }

    private mutating func read(_ headers: MailHeaders, _ body: ArraySlice<UInt8>, depth: Int) {
        partsRead += 1
        guard depth <= Self.mostDepth, partsRead <= Self.mostParts else {
            let warning = "has more parts than are read; the rest is left out"
            if warnings.last != warning { warnings.append(warning) }
            return
        }
        let kind = headers.kind("content-type") ?? "text/plain"
        if kind.hasPrefix("multipart/"), let boundary = headers.parameter("boundary", of: "content-type"),
            !boundary.isEmpty
        {
            let inner = Self.split(body, boundary, most: Self.mostParts).map(MailHeaders.read)
            if kind == "multipart/alternative" {
                // The last one is the richest. Plain text is preferred.
                let plain = inner.first { ($0.headers.kind("content-type") ?? "text/plain") == "text/plain" }
                if let best = plain ?? inner.last { read(best.headers, best.body, depth: depth + 1) }
            } else {
                for part in inner { read(part.headers, part.body, depth: depth + 1) }
            }
            return
        }
        let name =
            headers.parameter("filename", of: "content-disposition") ?? headers.parameter("name", of: "content-type")
        let isAttached = headers.kind("content-disposition") == "attachment"
        if kind == "message/rfc822", !isAttached {
            let inner = MailHeaders.read(body)
            if let subject = inner.headers.decoded("subject") { parts.append("Forwarded: \(subject)") }
            read(inner.headers, inner.body, depth: depth + 1)
            return
        }
        guard kind == "text/plain" || kind == "text/html", !isAttached else {
            files.append(name.map(NoteTitle.line) ?? kind)
            return
        }
        let bytes = MailEncoding.decoded(body, headers.kind("content-transfer-encoding") ?? "")
        let charset = headers.parameter("charset", of: "content-type")
        var text: String
        if kind == "text/html" {
            let markup = MarkupText(html: bytes, charset: charset)
            text = markup.text
            warnings += markup.warnings
        } else {
            text = MailEncoding.text(bytes, charset).replacing("\r\n", with: "\n").trimming(\.isWhitespace)
        }
        if let name { files.append(NoteTitle.line(name)) }
        text = text.replacing("\r", with: "\n")
        if !text.isEmpty { parts.append(text) }
    }

    /// The parts between lines with a boundary. What is before the first and behind the last one is no text.
    private static func split(_ body: ArraySlice<UInt8>, _ boundary: String, most: Int) -> [ArraySlice<UInt8>] {
        let mark = Array("--\(boundary)".utf8)
        var (parts, start, line) = ([ArraySlice<UInt8>](), nil as Int?, body.startIndex)
        while line < body.endIndex, parts.count <= most {
            let end = body[line...].firstIndex(of: 0x0A) ?? body.endIndex
            if body[line..<end].starts(with: mark) {
                if let start, start < line { parts.append(body[start..<line]) }
                start =
                    body[line..<end].dropFirst(mark.count).starts(with: [0x2D, 0x2D])
                    ? nil : min(end + 1, body.endIndex)
                if start == nil, !parts.isEmpty { return parts }
            }
            line = end + 1
        }
        if let start, start < body.endIndex { parts.append(body[start...]) }
        return parts
    }
}
