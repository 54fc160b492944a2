/// Reads Markdown files.
///
/// The text is the rendered one, without syntax: no marks of headings, lists, emphasis or footnotes, no
/// targets of links, no images.
/// HTML is read as its text. Cells of a table are separated by tabs, its rows by line feeds. Each main heading begins a page, as a reader expects of
/// a text without pages; sections that are longer than a page are cut by length, and then the pages are estimated.
/// YAML or TOML front matter gives title, authors and language.
enum MarkdownReader {
    static func read(
        _ bytes: [UInt8], charset: String? = nil, limits: DocumentLimits
    ) throws(DocumentError) -> Document {
        let decoded = CharsetDecoder.decode(bytes, declared: charset, maxBytes: limits.textBytes)
        let text = CanonicalText.canonical(decoded.utf8)
        let (front, body) = MarkdownFrontMatter.split(text)
        var writer = MarkdownWriter(builder: DocumentBuilder(limits: limits))
        if decoded.isGuessed { writer.builder.notices.append(.guessedCharset(decoded.charset)) }
        MarkdownEvents.read(body) { writer.take($0) }
        var metadata = front
        let titles = writer.builder.headings.filter { $0.level == 1 }
        if metadata.title == nil, titles.count == 1 { metadata.title = titles[0].title }
        return try writer.builder.document(.markdown, metadata, paging: .sections(writer.builder.mainSections()))
    }
}

/// Builds a document from Markdown events.
struct MarkdownWriter {
    var builder: DocumentBuilder
    private var line = ""
    private var cells: [String] = []
    private var rows: [String] = []
    private var (quotes, items, footnotes, images) = (0, 0, 0, 0)
    private var isCell = false

    init(builder: DocumentBuilder) { self.builder = builder }

    mutating func take(_ event: MarkdownEvent) {
        switch event {
        case .enter(let container): enter(container)
        case .exit(let container): exit(container)
        case .text(let text): add(text)
        case .softBreak: add(" ")
        case .lineBreak: add(isCell ? " " : "\n")
        case .code(let code): builder.append(.code, BlockText(code))
        case .html(let block): add(html: block)
        case .rule: break
        }
    }

    private mutating func add(_ text: String) { if images == 0 { line += text } }

    /// The text of a block of HTML. A block without text, such as one end tag, gives none.
    private mutating func add(html block: String) {
        guard block.utf8.contains(where: { $0 > 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }),
            let tree = MarkupParser.html(Array(block.utf8)), let root = tree.root
        else { return }
        var writer = MarkupWriter(tree)
        writer.write(root, into: &builder)
    }

    private mutating func enter(_ container: MarkdownEvent.Container) {
        switch container {
        case .quote: quotes += 1
        case .item: items += 1
        case .footnote: footnotes += 1
        case .image: images += 1
        case .paragraph, .heading: line = ""
        case .table: rows = []
        case .row: cells = []
        case .cell: (line, isCell) = ("", true)
        }
    }

    private mutating func exit(_ container: MarkdownEvent.Container) {
        switch container {
        case .quote: quotes -= 1
        case .item: items -= 1
        case .footnote: footnotes -= 1
        case .image: images -= 1
        case .paragraph:
            builder.append(
                footnotes > 0 ? .footnote : items > 0 ? .listItem : quotes > 0 ? .quote : .paragraph, BlockText(line))
        case .heading(let level): builder.append(.heading, BlockText(line), level: level)
        case .cell:
            cells.append(CanonicalText.line(line))
            isCell = false
        case .row: rows.append(cells.joined(separator: "\t"))
        case .table: builder.append(.table, BlockText(rows.joined(separator: "\n")))
        }
    }
}
