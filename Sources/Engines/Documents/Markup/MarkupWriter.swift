/// Writes the text of HTML into a document: blocks as a browser shows them, headings, lists, tables, notes, page breaks.
///
/// Left out: scripts, styles, forms, media, hidden elements, pronunciations over characters (ruby), and the alternative
/// texts of images except for an initial letter and for headings that are images. Items of lists have no bullets or
/// numbers. Cells of a table are separated by tabs, its rows by line feeds; a table that only arranges a page is read as
/// its paragraphs.
struct MarkupWriter {
    let tree: MarkupTree
    /// The prefix of the names of link targets, such as the path of the file in the archive.
    var scope = ""
    /// The targets that links use; others are not kept.
    var targets: Set<String> = []
    /// Targets by their nodes: for a text the offset in UTF-16 units, for an element 0.
    var places: [Int: [(offset: Int, name: String)]] = [:]
    /// Elements that are left out with all below them.
    var skipped: Set<Int> = []
    /// Whether elements that only sighted readers are to see (`aria-hidden`) are left out.
    var leavesOutDecoration = false

    private var inline = InlineText()
    private var place = Place()
    private var stack: [Place] = []
    private var alternatives: [String] = []
    /// The letter of a picture at the start of a block.
    private var initial: String?
    private let layoutTables: Set<Int>
    private var hasCell = false
    private var hasRow = false

    /// Where in the document a text is.
    private struct Place {
        var kind = DocumentBlock.Kind.paragraph
        var level: Int?
        var isPreserved = false
        var isTable = false
        /// Whether the blocks inside are lines of one heading.
        var isGroup = false
    }

    init(_ tree: MarkupTree) {
        self.tree = tree
        layoutTables = MarkupElements.layoutTables(tree)
    }

    /// Writes an element and all below it as blocks.
    mutating func write(_ start: Int, into builder: inout DocumentBuilder) {
        let tree = tree
        tree.walk(start) { step in
            switch step {
            case .enter(let index): return enter(index, &builder)
            case .exit(let index):
                exit(index, &builder)
                return true
            }
        }
        flush(&builder)
    }

    private mutating func enter(_ index: Int, _ builder: inout DocumentBuilder) -> Bool {
        let node = tree[index]
        if node.isText {
            if let targets = places[index] { add(node.text, targets) } else { add(node.text) }
            return true
        }
        guard !builder.isFull, !skipped.contains(index), !MarkupElements.isHidden(node, leavesOutDecoration) else {
            return false
        }
        if PageBreak.isOne(node) {
            inline.mark(.page(label: PageBreak.label(node, tree.line(index))))
            return false
        }
        let name = node.name
        let isBlock = MarkupElements.blocks.contains(name)
        if isBlock { border(&builder) }
        for target in [node["id"], node["xml:id"], name == "a" ? node["name"] : nil] {
            if let target, targets.contains("\(scope)#\(target)") { inline.mark(.anchor("\(scope)#\(target)")) }
        }
        for target in places[index] ?? [] { inline.mark(.anchor(target.name)) }
        switch name {
        case "br":
            // Two in a row separate paragraphs.
            if !place.isTable, !place.isGroup, !place.isPreserved, inline.block.utf8.last == 0x0A { flush(&builder) }
            if place.isTable { inline.add(" ") } else if !inline.isEmpty { inline.separate(0x0A) }
            return false
        case "img", "svg:image", "image":
            if let alternative = node["alt"], !alternative.isEmpty {
                if alternative.unicodeScalars.count == 1, inline.isEmpty {
                    initial = alternative
                } else if alternatives.count < 10 {
                    alternatives.append(alternative)
                }
            }
            return false
        case "q": inline.add("“")
        default: break
        }
        guard !MarkupElements.leftOut.contains(name) else { return false }
        if isBlock { push(index, node, &builder) }
        return true
    }

    private mutating func add(_ text: String) {
        // A picture of an initial letter is part of the word behind it.
        if let letter = initial, inline.isEmpty, text.unicodeScalars.first?.properties.isAlphabetic == true {
            inline.add(letter)
        }
        initial = nil
        inline.add(text, isPreserved: place.isPreserved)
    }

    /// Adds a text with targets inside it.
    private mutating func add(_ text: String, _ targets: [(offset: Int, name: String)]) {
        var start = text.startIndex
        for target in targets.sorted(by: { $0.offset < $1.offset }) {
            let utf16 = text.utf16
            let limit =
                utf16.index(utf16.startIndex, offsetBy: target.offset, limitedBy: utf16.endIndex) ?? utf16.endIndex
            let end = max(start, limit.samePosition(in: text.unicodeScalars) ?? utf16.index(before: limit))
            add(String(text[start..<end]))
            inline.mark(.anchor(target.name))
            start = end
        }
        add(String(text[start...]))
    }

    /// The way in which a block element changes the place.
    private mutating func push(_ index: Int, _ node: MarkupTree.Node, _ builder: inout DocumentBuilder) {
        stack.append(place)
        if place.isTable {
            switch node.name {
            case "tr":
                if hasRow { inline.separate(0x0A) }
                (hasRow, hasCell) = (true, false)
            case "td", "th":
                if hasCell { inline.separate(0x09) }
                hasCell = true
            case "caption": hasRow = true
            default: inline.add(" ")
            }
            return
        }
        let isNote = MarkupElements.isNote(node)
        switch node.name {
        case "h1", "h2", "h3", "h4", "h5", "h6":
            let level = node.name.utf8.last.map { Int($0) - 0x30 } ?? 1
            place.level = place.level ?? level
            place.kind = .heading
        case "hgroup": place.isGroup = true
        case "blockquote": if place.kind == .paragraph { place.kind = .quote }
        case "li", "dt", "dd": if place.kind != .footnote { place.kind = .listItem }
        case "pre", "listing", "xmp": (place.kind, place.isPreserved) = (.code, true)
        case "figcaption", "caption": place.kind = .caption
        case "table" where !layoutTables.contains(index):
            (place.kind, place.isTable, hasRow, hasCell) = (.table, true, false, false)
        default: break
        }
        if isNote { place.kind = .footnote }
    }

    private mutating func exit(_ index: Int, _ builder: inout DocumentBuilder) {
        let node = tree[index]
        guard !node.isText else { return }
        if node.name == "q" { inline.add("”") }
        guard MarkupElements.blocks.contains(node.name), var above = stack.popLast() else { return }
        if place.isTable, above.isTable {
            inline.add(" ")
        } else if place.isGroup, above.isGroup {
            endGroupLine()
            if let level = place.level { (above.kind, above.level) = (.heading, above.level ?? level) }
        } else {
            flush(&builder)
        }
        place = above
    }

    /// Ends the block before a block that begins, except inside a table; in a group of headings it ends a line.
    private mutating func border(_ builder: inout DocumentBuilder) {
        if place.isTable { return }
        if place.isGroup { endGroupLine() } else { flush(&builder) }
    }

    private mutating func endGroupLine() {
        if let last = inline.block.utf8.last, last != 0x0A { inline.separate(0x0A) }
    }

    private mutating func flush(_ builder: inout DocumentBuilder) {
        if inline.isEmpty, place.kind == .heading, !alternatives.isEmpty {
            inline.add(alternatives.joined(separator: " "))
        }
        (alternatives, initial) = ([], nil)
        let text = inline.take()
        if !text.utf8.isEmpty || !text.marks.isEmpty { builder.append(place.kind, text, level: place.level) }
    }
}
