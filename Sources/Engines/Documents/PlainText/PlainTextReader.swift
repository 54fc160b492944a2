internal import Text

/// Reads plain text files.
///
/// The text stays as it is: a file in UTF-8 and NFC with line feeds keeps every byte at its place. Paragraphs are separated
/// by empty lines; where lines are long, each one is a paragraph. Form feeds separate real pages.
enum PlainTextReader {
    static func read(
        _ bytes: [UInt8], charset: String? = nil, limits: DocumentLimits
    ) throws(DocumentError) -> Document {
        let decoded = CharsetDecoder.decode(bytes, declared: charset, maxBytes: limits.textBytes)
        var (text, borders): ([UInt8], [Int]) = ([], [])
        let parts = decoded.utf8.split(separator: 0x0C, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index > 0 {
                text.append(0x0A)
                borders.append(text.count)
            }
            text += CanonicalText.canonical(Array(part))
        }
        // A form feed may also end the last page.
        if let last = borders.last, text[last...].allSatisfy({ $0 <= 0x20 }) { borders.removeLast() }
        var builder = DocumentBuilder(canonical: text, limits: limits)
        if decoded.isGuessed { builder.notices.append(.guessedCharset(decoded.charset)) }
        let paragraphs = Paragraphs.ranges(in: builder.utf8)
        let headings = ChapterHeadings.find(in: builder.utf8, paragraphs)
        var next = 0
        for (index, range) in paragraphs.enumerated() {
            if next < headings.count, headings[next].paragraphs.contains(index) {
                let heading = headings[next]
                if index == heading.paragraphs.lowerBound {
                    let whole = range.lowerBound..<paragraphs[heading.paragraphs.upperBound - 1].upperBound
                    builder.add(.heading, whole, level: heading.level, title: heading.title)
                }
                if index == heading.paragraphs.upperBound - 1 { next += 1 }
                continue
            }
            builder.add(.paragraph, range)
        }
        guard !borders.isEmpty else {
            return try builder.document(.text, metadata(builder), paging: .estimated)
        }
        builder.startPage(at: 0)
        for border in borders { builder.startPage(at: border) }
        return try builder.document(.text, metadata(builder), paging: .given(.physical))
    }

    /// Title, author and language of the header that the books of Project Gutenberg have.
    private static func metadata(_ builder: DocumentBuilder) -> DocumentMetadata {
        let start = builder.text(0..<UTF8Border.before(3000, in: builder.utf8))
        var metadata = DocumentMetadata()
        guard start.contains("Project Gutenberg") else { return metadata }
        for line in start.split(separator: "\n") {
            let pair = line.split(separator: ":", maxSplits: 1).map { CanonicalText.line($0) }
            guard pair.count == 2 else { continue }
            switch pair[0] {
            case "Title" where metadata.title == nil: metadata.title = pair[1]
            case "Author" where metadata.authors.isEmpty: metadata.authors = [pair[1]]
            case "Language" where metadata.language == nil: metadata.language = languages[pair[1].lowercased()]
            default: break
            }
        }
        return metadata
    }

    private static let languages = [
        "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
        "dutch": "nl", "finnish": "fi", "swedish": "sv", "danish": "da", "chinese": "zh", "japanese": "ja",
    ]
}

extension DocumentNotice {
    static func guessedCharset(_ charset: String) -> DocumentNotice {
        DocumentNotice(.guessedCharset, "The file does not say its character set; it was read as \(charset).")
    }
}
