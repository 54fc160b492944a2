/// What elements of HTML mean for text.
enum MarkupElements {
    /// Elements that begin and end a block.
    static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "p", "pre", "search", "section",
        "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp", "svg:text", "epub:switch",
        "epub:case", "epub:default",
    ]

    /// Elements that are left out with all below them.
    static let leftOut: Set<String> = [
        "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "audio", "video", "canvas",
        "select", "datalist", "button", "input", "textarea", "rt", "rp", "rtc", "title", "link", "meta", "noframes",
        "svg:title", "svg:desc", "svg:metadata", "svg:defs", "svg:style", "svg:script", "desc", "defs", "metadata",
        "math:annotation", "math:annotation-xml", "annotation", "annotation-xml", "progress", "meter", "area", "map",
    ]

    /// Whether an element is hidden from readers.
    static func isHidden(_ node: MarkupTree.Node, _ leavesOutDecoration: Bool) -> Bool {
        if node.attributes.isEmpty { return false }
        if node["hidden"] != nil { return true }
        if leavesOutDecoration, node["aria-hidden"]?.lowercased() == "true" {
            // Wikipedia's formulas are hidden pictures of themselves.
            return !node.words("class").contains { $0.hasPrefix("mwe-math") }
        }
        guard let style = node["style"], style.utf8.count < 10_000 else { return false }
        let rules = style.lowercased().filter { !$0.isWhitespace }
        return rules.contains("display:none") || rules.contains("visibility:hidden")
    }

    /// Whether an element is a footnote or an endnote.
    static func isNote(_ node: MarkupTree.Node) -> Bool {
        if node.attributes.isEmpty { return false }
        return node.words("epub:type").contains { ["footnote", "endnote", "rearnote", "note"].contains($0) }
            || node.words("role").contains { $0 == "doc-footnote" || $0 == "doc-endnote" }
    }

    /// The tables that only arrange a page: those with a table or a heading inside, with several blocks in one cell, or
    /// with the role of none.
    static func layoutTables(_ tree: MarkupTree) -> Set<Int> {
        guard tree.first("table") != nil else { return [] }
        // Children come after their parents, so one pass from the end gathers what is inside.
        var (result, blocks, isRich) = (Set<Int>(), [Int: Int](), Set<Int>())
        for index in tree.nodes.indices.reversed() {
            let node = tree[index]
            guard !node.isText else { continue }
            switch node.name {
            case "td", "th": if blocks[index, default: 0] > 3 { isRich.insert(index) }
            case "table":
                if isRich.contains(index)
                    || node.words("role").contains(where: { $0 == "presentation" || $0 == "none" })
                {
                    result.insert(index)
                }
                isRich.insert(index)
            case "h1", "h2", "h3", "h4", "h5", "h6", "article", "section": isRich.insert(index)
            default: break
            }
            guard node.parent >= 0 else { continue }
            if isRich.contains(index) { isRich.insert(node.parent) }
            if !["td", "th", "tr"].contains(node.name) {
                let own = ["p", "div", "ul", "ol", "pre", "blockquote"].contains(node.name) ? 1 : 0
                let inside = blocks[index, default: 0] + own
                if inside > 0 { blocks[node.parent, default: 0] += inside }
            }
        }
        return result
    }
}
