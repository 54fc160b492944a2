import Foundation

/// The character set that an HTML or XML document declares in its first bytes.
enum HTMLCharset {
    /// Looks for `<?xml encoding="…">`, `<meta charset="…">` and `<meta http-equiv content="…; charset=…">` in the first 4 KiB.
    static func declared(_ bytes: [UInt8]) -> String? {
        let start = String(decoding: bytes.prefix(4096), as: UTF8.self)
        var rest = start[...]
        while let tag = rest.firstIndex(of: "<") {
            rest = rest[tag...].dropFirst()
            let end = rest.firstIndex(of: ">") ?? rest.endIndex
            let content = rest[..<end].lowercased()
            rest = rest[end...]
            if content.hasPrefix("?xml"), let label = value(of: "encoding", in: content) { return label }
            // XML that is no HTML has no meta elements; a comment may name one.
            if content.hasPrefix("meta"), let label = value(of: "charset", in: content) { return label }
        }
        return nil
    }

    private static func value(of name: String, in tag: String) -> String? {
        guard let found = tag.range(of: name) else { return nil }
        let rest = tag[found.upperBound...].drop { $0 == " " || $0 == "\n" || $0 == "\t" }
        guard rest.first == "=" else { return nil }
        let label = rest.dropFirst().drop { " \"'\n\t".contains($0) }.prefix { !" \"';/\n\t?".contains($0) }
        return label.isEmpty ? nil : String(label)
    }
}
