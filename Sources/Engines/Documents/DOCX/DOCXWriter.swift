/// Writes the text of a DOCX document into a builder.
struct DOCXWriter {
    private let package: DOCXPackage
    private(set) var builder: DocumentBuilder
    /// The first paragraph with the style of a title.
    private(set) var title: String?
    private(set) var hasHiddenText = false
    /// Page breaks where Word last laid them out.
    private(set) var renderedBreaks = 0

    /// A paragraph while it is read. Text boxes have paragraphs inside a paragraph.
    private struct Paragraph {
        var text = InlineText()
        var kind = DocumentBlock.Kind.paragraph
        var level: Int?
        var isTitle = false
        /// Whether a page begins behind the paragraph, because its section ends.
        var endsPage = false
        var footnotes: [String] = []
    }

    /// A table while it is read.
    private struct Table {
        var text = InlineText()
        var rows = 0
        var cells = 0
        var footnotes: [String] = []
        /// Whether its cells are read as paragraphs, because it only arranges the page.
        var isLayout: Bool
    }

    private var paragraphs: [Paragraph] = []
    private var tables: [Table] = []
    /// For each open field whether its result is being read.
    private var fields: [Bool] = []
    private var endnotes: [String] = []
    /// Whether a hard page break was the last thing before the current place.
    private var isBehindBreak = false
    /// The alternatives of the document that have a content for newer programs.
    private let chosen: Set<Int>
    /// Notes that were written; a second reference means the same note.
    private var writtenNotes: Set<String> = []
    /// How each section begins.
    private let sectionTypes: [String]
    /// The number of sections that have ended.
    private var sections = 0
    /// The kind of note that is read.
    private var note: DocumentBlock.Kind?

    static let maxNotes = 100_000

    init(_ package: DOCXPackage, _ builder: DocumentBuilder) {
        (self.package, self.builder) = (package, builder)
        let tree = package.document
        chosen = Set(tree.all("mc:Choice").map { tree[$0].parent })
        sectionTypes = tree.all("w:sectPr").map { section in
            tree.child(section, "w:type").flatMap { tree[$0]["w:val"] } ?? "nextPage"
        }
    }

    mutating func writeBody() {
        let tree = package.document
        guard let body = tree.first("w:body") ?? tree.root else { return }
        builder.mark(.page(label: nil))
        write(tree, body)
        note = .footnote
        for id in endnotes { if let place = package.endnotes.places[id] { write(package.endnotes.tree, place) } }
        builder.end()
    }

    private mutating func write(_ tree: MarkupTree, _ start: Int) {
        tree.walk(start) { step in
            switch step {
            case .enter(let index): return enter(tree, index)
            case .exit(let index):
                exit(tree, index)
                return true
            }
        }
    }

    private mutating func enter(_ tree: MarkupTree, _ index: Int) -> Bool {
        let node = tree[index]
        switch node.name {
        case "w:p": paragraphs.append(paragraph(tree, index))
        case "w:t", "m:t", "a:t":
            guard fields.last != false else { return false }
            add(tree.text(index))
            return false
        case "w:tab", "w:ptab": if node.parent >= 0, tree[node.parent].name == "w:r" { add("\t") }
        case "w:cr": add("\n")
        case "w:br":
            if node["w:type"] == "page" { breakPage(isRendered: false) } else { add("\n") }
        case "w:lastRenderedPageBreak": breakPage(isRendered: true)
        case "w:noBreakHyphen": add("\u{2011}")
        case "w:fldChar":
            switch node["w:fldCharType"] {
            case "begin": if fields.count < 1000 { fields.append(false) }
            case "separate": if !fields.isEmpty { fields[fields.count - 1] = true }
            case "end": _ = fields.popLast()
            default: break
            }
        case "w:footnoteReference": if let id = node["w:id"] { refer(id) }
        case "w:endnoteReference":
            if let id = node["w:id"], endnotes.count < Self.maxNotes, note == nil,
                writtenNotes.insert("end \(id)").inserted
            {
                endnotes.append(id)
            }
        case "w:r":
            // Hidden text is not for readers.
            guard let properties = tree.child(index, "w:rPr"), let hidden = tree.child(properties, "w:vanish"),
                DOCXStyles.isOn(tree[hidden])
            else { return true }
            hasHiddenText = hasHiddenText || !tree.line(index).isEmpty
            return false
        case "w:tbl": tables.append(Table(isLayout: Self.isLayout(tree, index)))
        case "w:tr": beginRow()
        case "w:tc": beginCell()
        case "w:del", "w:moveFrom", "w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:tblPr", "w:tblGrid", "w:trPr",
            "w:tcPr",
            "w:instrText", "w:delText", "w:sectPr", "w:rt", "w:fldData":
            return false
        case "mc:Fallback":
            // The same content for older programs.
            if chosen.contains(node.parent), note == nil { return false }
        default: break
        }
        return true
    }

    private mutating func exit(_ tree: MarkupTree, _ index: Int) {
        switch tree[index].name {
        case "w:p": endParagraph()
        case "w:tbl": endTable()
        default: break
        }
    }

    // MARK: Paragraphs

    private mutating func paragraph(_ tree: MarkupTree, _ index: Int) -> Paragraph {
        var paragraph = Paragraph()
        guard let properties = tree.child(index, "w:pPr") else { return paragraph }
        func value(_ name: String) -> String? { tree.child(properties, name).flatMap { tree[$0]["w:val"] } }
        let style = value("w:pStyle") ?? ""
        let own = value("w:outlineLvl").flatMap { Int($0) }
        paragraph.level = own.map { DOCXStyles.level(outline: $0) } ?? package.styles.level(style)
        paragraph.isTitle = package.styles.isTitle(style)
        if paragraph.level != nil {
            paragraph.kind = .heading
        } else if let list = tree.child(properties, "w:numPr") {
            // The list with the number 0 is none.
            let number = tree.child(list, "w:numId").flatMap { tree[$0]["w:val"] }
            paragraph.kind = number == "0" ? .paragraph : .listItem
        } else if package.styles.isList(style) {
            paragraph.kind = .listItem
        } else if package.styles.isQuote(style) {
            paragraph.kind = .quote
        } else if package.styles.isCaption(style) {
            paragraph.kind = .caption
        }
        if tree.child(properties, "w:sectPr") != nil {
            // The properties of a section stand at its end, but say how it begins.
            sections += 1
            paragraph.endsPage =
                sections < sectionTypes.count && sectionTypes[sections] != "continuous"
                && sectionTypes[sections] != "nextColumn"
        }
        let breaks = tree.child(properties, "w:pageBreakBefore").map { DOCXStyles.isOn(tree[$0]) }
        if breaks ?? package.styles.breaksPage(style), !builder.blocks.isEmpty, tables.isEmpty, !isBehindBreak {
            paragraph.text.mark(.page(label: nil))
            isBehindBreak = true
        }
        return paragraph
    }

    private mutating func endParagraph() {
        // A field whose instruction has no end in its paragraph is damaged.
        fields = fields.map { _ in true }
        guard var paragraph = paragraphs.popLast() else { return }
        if let table = tables.last, !table.isLayout, paragraphs.isEmpty {
            tables[tables.count - 1].footnotes += paragraph.footnotes
            tables[tables.count - 1].text.append(paragraph.text.take())
            return
        }
        let range = builder.append(note ?? paragraph.kind, paragraph.text.take(), level: paragraph.level)
        if paragraph.isTitle, title == nil, let range { title = builder.text(range) }
        write(footnotes: paragraph.footnotes)
        if paragraph.endsPage {
            builder.mark(.page(label: nil))
            isBehindBreak = true
        }
    }

    private mutating func add(_ text: String) {
        if text.utf8.contains(where: { $0 > 0x20 }) { isBehindBreak = false }
        guard !paragraphs.isEmpty else { return }
        paragraphs[paragraphs.count - 1].text.add(text, isPreserved: true)
    }

    private mutating func breakPage(isRendered: Bool) {
        if isRendered {
            renderedBreaks += 1
            // Word notes the effect of a hard break in the text behind it.
            defer { isBehindBreak = false }
            if isBehindBreak { return }
        } else {
            isBehindBreak = true
        }
        guard !paragraphs.isEmpty else { return builder.mark(.page(label: nil)) }
        paragraphs[paragraphs.count - 1].text.mark(.page(label: nil))
    }

    // MARK: Notes

    private mutating func refer(_ id: String) {
        guard !paragraphs.isEmpty, note == nil, writtenNotes.insert(id).inserted else { return }
        paragraphs[paragraphs.count - 1].footnotes.append(id)
    }

    /// Writes notes below the block that refers to them.
    private mutating func write(footnotes ids: [String]) {
        guard note == nil else { return }
        note = .footnote
        defer { note = nil }
        let (outer, open, isBehindBreak) = (paragraphs, tables, isBehindBreak)
        (paragraphs, tables) = ([], [])
        for id in ids where !builder.isFull {
            if let place = package.footnotes.places[id] { write(package.footnotes.tree, place) }
        }
        (paragraphs, tables, self.isBehindBreak) = (outer, open, isBehindBreak)
    }

    // MARK: Tables

    private mutating func beginRow() {
        guard let last = tables.indices.last, !tables[last].isLayout else { return }
        if tables[last].rows > 0 { tables[last].text.separate(0x0A) }
        tables[last].rows += 1
        tables[last].cells = 0
    }

    private mutating func beginCell() {
        guard let last = tables.indices.last, !tables[last].isLayout else { return }
        if tables[last].cells > 0 { tables[last].text.separate(0x09) }
        tables[last].cells += 1
    }

    private mutating func endTable() {
        guard var table = tables.popLast(), !table.isLayout else { return }
        builder.append(note ?? .table, table.text.take())
        write(footnotes: table.footnotes)
    }

    /// Whether a table has a table or more than three paragraphs in one of its cells.
    private static func isLayout(_ tree: MarkupTree, _ table: Int) -> Bool {
        for row in tree.children(table) where tree[row].name == "w:tr" {
            for cell in tree.children(row) where tree[cell].name == "w:tc" {
                let children = tree.children(cell)
                if children.contains(where: { tree[$0].name == "w:tbl" }) { return true }
                if children.count(where: { tree[$0].name == "w:p" }) > 3 { return true }
            }
        }
        return false
    }
}
