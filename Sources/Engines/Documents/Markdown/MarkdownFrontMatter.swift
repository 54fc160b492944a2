/// The lines of data at the start of a Markdown file, in YAML between `---` or TOML between `+++`.
enum MarkdownFrontMatter {
    static let maxBytes = 64 << 10

    /// Takes the front matter off a text.
    ///
    /// Only title, authors and language are read, and only in their simple forms: `key: value`, quoted or not, a list in
    /// brackets or with a dash on each line.
    static func split(_ utf8: [UInt8]) -> (metadata: DocumentMetadata, body: [UInt8]) {
        let none = (DocumentMetadata(), utf8)
        let mark: [UInt8]
        if utf8.starts(with: "---\n".utf8) {
            mark = Array("---".utf8)
        } else if utf8.starts(with: "+++\n".utf8) {
            mark = Array("+++".utf8)
        } else {
            return none
        }
        var (lines, start): ([String], Int) = ([], 4)
        while start < min(utf8.count, maxBytes) {
            let end = utf8[start...].firstIndex(of: 0x0A) ?? utf8.count
            let line = utf8[start..<end]
            if line.elementsEqual(mark) || line.elementsEqual("...".utf8) {
                guard lines.isEmpty || lines.contains(where: { $0.contains(":") || $0.contains("=") }) else {
                    return none
                }
                return (metadata(lines), Array(utf8[min(end + 1, utf8.count)...]))
            }
            lines.append(String(decoding: line, as: UTF8.self))
            start = end + 1
        }
        return none
    }

    private static func metadata(_ lines: [String]) -> DocumentMetadata {
        var metadata = DocumentMetadata()
        var isAuthorList = false
        for line in lines {
            let trimmed = CanonicalText.line(line)
            if isAuthorList, trimmed.hasPrefix("- ") {
                let item = trimmed.dropFirst(2)
                let name = item.hasPrefix("name:") ? item.dropFirst(5) : item
                if !name.contains(": ") { metadata.authors.append(unquoted(CanonicalText.line(name))) }
                continue
            }
            isAuthorList = false
            guard let first = line.first, !first.isWhitespace,
                let split = trimmed.firstIndex(where: { $0 == ":" || $0 == "=" })
            else { continue }
            let key = CanonicalText.line(trimmed[..<split]).lowercased()
            let value = CanonicalText.line(trimmed[trimmed.index(after: split)...])
            switch key {
            case "title": metadata.title = unquoted(value)
            case "lang", "language": metadata.language = unquoted(value)
            case "author", "authors", "by":
                isAuthorList = value.isEmpty
                if value.hasPrefix("["), value.hasSuffix("]") {
                    metadata.authors += value.dropFirst().dropLast().split(separator: ",").map {
                        unquoted(CanonicalText.line($0))
                    }
                } else if !value.isEmpty {
                    metadata.authors.append(unquoted(value))
                }
            default: break
            }
        }
        return metadata
    }

    private static func unquoted(_ text: String) -> String {
        guard let first = text.first, first == "\"" || first == "'", text.count > 1, text.last == first else {
            return text
        }
        return String(text.dropFirst().dropLast())
    }
}
