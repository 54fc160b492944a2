internal import Documents

/// The one message of a process that reads a document: the document or why there is none.
///
/// Four letters, the length of the rest in eight bytes (least first), then the rest.
enum DocumentMessage {
    static let mark: [UInt8] = Array("SDM1".utf8)
    static let headBytes = 12

    static func encode(_ outcome: Result<Document, DocumentError>) -> [UInt8] {
        var writer = MessageWriter()
        switch outcome {
        case .success(let document):
            writer.write(0)
            write(document, &writer)
        case .failure(let error):
            writer.write(1)
            writer.write(error.code.rawValue)
            writer.write(error.message)
        }
        let length = UInt64(writer.bytes.count)
        return mark + (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + writer.bytes
    }

    /// The length of what follows the head; nil when the head is none.
    static func length(_ head: some Collection<UInt8>) -> Int? {
        let head = Array(head)
        guard head.count >= headBytes, head.starts(with: mark) else { return nil }
        return Int(exactly: head[4..<12].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Reads a message behind its head.
    ///
    /// - Throws: `Damaged` for bytes that are no message, and for a document whose ranges leave its text.
    static func decode(_ body: [UInt8]) throws(MessageReader.Damaged) -> Result<Document, DocumentError> {
        var reader = MessageReader(body)
        let outcome: Result<Document, DocumentError>
        switch try reader.number() {
        case 0: outcome = .success(try document(&reader))
        case 1:
            guard let code = DocumentError.Code(rawValue: try reader.text()) else { throw .init() }
            outcome = .failure(DocumentError(code, String(try reader.text().prefix(2000))))
        default: throw .init()
        }
        guard reader.isAtEnd else { throw .init() }
        return outcome
    }

    private static func write(_ document: Document, _ writer: inout MessageWriter) {
        writer.write(document.format.rawValue)
        for text in [document.title, document.language, document.identifier, document.published] {
            writer.write(optional: text) { $0.write($1) }
        }
        writer.write(list: document.authors) { $0.write($1) }
        writer.write(document.text)
        writer.write(document.numbering.rawValue)
        writer.write(list: document.pages) { writer, page in
            writer.write(page.number)
            writer.write(optional: page.label) { $0.write($1) }
            writer.write(page.range)
            writer.write(optional: page.width) { $0.write($1) }
            writer.write(optional: page.height) { $0.write($1) }
        }
        writer.write(list: document.headings) { writer, heading in
            writer.write(heading.level)
            writer.write(heading.title)
            writer.write(heading.range)
        }
        writer.write(list: document.blocks) { writer, block in
            writer.write(block.kind.rawValue)
            writer.write(block.range)
        }
        writer.write(list: document.lines) { writer, line in
            writer.write(line.range)
            for value in [line.box.x, line.box.y, line.box.width, line.box.height] { writer.write(value) }
        }
        writer.write(list: document.notices) { writer, notice in
            writer.write(notice.code.rawValue)
            writer.write(notice.message)
            writer.write(list: notice.pages) { $0.write($1) }
        }
        writer.write(optional: document.cover) { $0.write($1) }
        writer.write(optional: document.links) { writer, links in
            writer.write(optional: links.base) { $0.write($1) }
            writer.write(list: links.targets) { $0.write($1) }
        }
    }

    private static func document(_ reader: inout MessageReader) throws(MessageReader.Damaged) -> Document {
        typealias Damaged = MessageReader.Damaged
        guard let format = DocumentFormat(rawValue: try reader.text()) else { throw .init() }
        let title = try reader.optional { (reader) throws(Damaged) in try reader.text() }
        let language = try reader.optional { (reader) throws(Damaged) in try reader.text() }
        let identifier = try reader.optional { (reader) throws(Damaged) in try reader.text() }
        let published = try reader.optional { (reader) throws(Damaged) in try reader.text() }
        let authors = try reader.list { (reader) throws(Damaged) in try reader.text() }
        let text = try reader.text()
        guard let numbering = PageNumbering(rawValue: try reader.text()) else { throw .init() }
        let utf8 = text.utf8
        let end = utf8.count
        func range(_ reader: inout MessageReader) throws(Damaged) -> Range<Int> {
            let range = try reader.range()
            guard range.upperBound <= end else { throw .init() }
            return range
        }
        let pages = try reader.list { (reader) throws(Damaged) in
            DocumentPage(
                number: try reader.number(),
                label: try reader.optional { (reader) throws(Damaged) in try reader.text() },
                range: try range(&reader),
                width: try reader.optional { (reader) throws(Damaged) in try reader.double() },
                height: try reader.optional { (reader) throws(Damaged) in try reader.double() })
        }
        let headings = try reader.list { (reader) throws(Damaged) in
            DocumentHeading(level: try reader.number(), title: try reader.text(), range: try range(&reader))
        }
        let blocks = try reader.list { (reader) throws(Damaged) in
            guard let kind = DocumentBlock.Kind(rawValue: try reader.text()) else { throw Damaged() }
            return DocumentBlock(kind: kind, range: try range(&reader))
        }
        let lines = try reader.list { (reader) throws(Damaged) in
            DocumentLine(
                range: try range(&reader),
                box: DocumentBox(
                    x: try reader.float(), y: try reader.float(), width: try reader.float(), height: try reader.float())
            )
        }
        let notices = try reader.list { (reader) throws(Damaged) in
            guard let code = DocumentNotice.Code(rawValue: try reader.text()) else { throw Damaged() }
            return DocumentNotice(
                code, try reader.text(), pages: try reader.list { (reader) throws(Damaged) in try reader.number() })
        }
        let cover = try reader.optional { (reader) throws(Damaged) in try reader.blob() }
        guard cover?.count ?? 0 <= Document.maxCoverBytes else { throw .init() }
        let links = try reader.optional { (reader) throws(Damaged) in
            DocumentLinks(
                base: try reader.optional { (reader) throws(Damaged) in try reader.text() },
                targets: try reader.list { (reader) throws(Damaged) in try reader.text() })
        }
        guard links?.targets.count ?? 0 <= DocumentLinks.maxTargets else { throw .init() }
        try check(utf8, pages.map(\.range) + headings.map(\.range) + blocks.map(\.range) + lines.map(\.range))
        guard pages.first?.range.lowerBound == 0, pages.last?.range.upperBound == end,
            zip(pages, pages.dropFirst()).allSatisfy({ $0.range.upperBound == $1.range.lowerBound })
        else { throw .init() }
        return Document(
            format: format, title: title, authors: authors, language: language, identifier: identifier,
            published: published, text: text, pages: pages, numbering: numbering, headings: headings, blocks: blocks,
            lines: lines, notices: notices, cover: cover, links: links)
    }

    /// Checks that ranges begin and end at scalar borders.
    private static func check(_ utf8: String.UTF8View, _ ranges: [Range<Int>]) throws(MessageReader.Damaged) {
        let bytes = Array(utf8)
        for place in ranges.lazy.flatMap({ [$0.lowerBound, $0.upperBound] }) where place < bytes.count {
            if bytes[place] & 0xC0 == 0x80 { throw .init() }
        }
    }
}
