/// What the styles of paragraphs mean for text.
struct DOCXStyles {
    private struct Style {
        var name: String
        var basedOn: String?
        var outline: Int?
        var breaksPage: Bool?
        var isList: Bool
    }

    private var styles: [String: Style] = [:]
    /// The language of the document's text.
    private(set) var language: String?

    init(_ tree: MarkupTree?) {
        guard let tree else { return }
        for index in tree.all("w:style") {
            guard let id = tree[index]["w:styleId"], styles[id] == nil else { continue }
            let name = tree.child(index, "w:name").flatMap { tree[$0]["w:val"] }?.lowercased() ?? ""
            let properties = tree.child(index, "w:pPr")
            styles[id] = Style(
                name: name, basedOn: tree.child(index, "w:basedOn").flatMap { tree[$0]["w:val"] },
                outline: properties.flatMap { tree.child($0, "w:outlineLvl") }.flatMap { tree[$0]["w:val"] }.flatMap {
                    Int($0)
                },
                breaksPage: properties.flatMap { tree.child($0, "w:pageBreakBefore") }.map { Self.isOn(tree[$0]) },
                isList: properties.flatMap { tree.child($0, "w:numPr") } != nil || name.hasPrefix("list "))
        }
        if let defaults = tree.first("w:docDefaults") {
            tree.walk(defaults) { step in
                if case .enter(let index) = step, tree[index].name == "w:lang", language == nil {
                    language = tree[index]["w:val"]
                }
                return true
            }
        }
    }

    /// The level of a heading's style, 1 to 6; nil for other styles.
    ///
    /// The outline level counts, then the built-in name, which is English in every language's Word, then the id.
    func level(_ id: String) -> Int? {
        for style in chain(id) {
            if let outline = style.outline { return Self.level(outline: outline) }
            if style.name == "title" { return 1 }
            if style.name.hasPrefix("heading "), let level = Int(style.name.dropFirst(8)), level > 0 {
                return min(6, level)
            }
        }
        guard styles[id] == nil, id.lowercased().hasPrefix("heading"), let level = Int(id.dropFirst(7)), level > 0
        else { return nil }
        return min(6, level)
    }

    /// The level of an outline level, which counts from 0; 9 is body text.
    static func level(outline: Int) -> Int? { (0..<9).contains(outline) ? min(6, outline + 1) : nil }

    func isTitle(_ id: String) -> Bool { chain(id).contains { $0.name == "title" } }
    func isList(_ id: String) -> Bool { chain(id).contains { $0.isList } }
    func isQuote(_ id: String) -> Bool { chain(id).contains { $0.name == "quote" || $0.name == "intense quote" } }
    func isCaption(_ id: String) -> Bool { chain(id).contains { $0.name == "caption" } }
    func breaksPage(_ id: String) -> Bool { chain(id).lazy.compactMap(\.breaksPage).first ?? false }

    /// A style and those that it is based on. A cycle ends the chain.
    private func chain(_ id: String) -> [Style] {
        var (result, next, seen): ([Style], String?, Set<String>) = ([], id, [])
        while let id = next, seen.insert(id).inserted, seen.count <= 20, let style = styles[id] {
            result.append(style)
            next = style.basedOn
        }
        return result
    }

    /// Whether a property without or with a value is on.
    static func isOn(_ node: MarkupTree.Node) -> Bool {
        guard let value = node["w:val"]?.lowercased() else { return true }
        return !["0", "false", "off", "none"].contains(value)
    }
}
