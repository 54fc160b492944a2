/// Puts the signs of Markdown into a tree, for what has no text of its own: links, tasks, pictures and attached files.
enum MarkupSigns {
    /// The longest address of a link that is kept. Longer ones carry data.
    private static let mostLinkBytes = 2000

    static func add(to tree: inout MarkupTree) {
        // What is added stands behind these.
        for index in tree.nodes.indices {
            let node = tree[index]
            switch node.name {
            case "img":
                let name =
                    node["alt"].flatMap { $0.isEmpty ? nil : $0 }
                    ?? link(node["src"])?.split(separator: "/").last.map(String.init)
                tree.replace(index, by: "[picture\(name.map { " " + CanonicalText.line($0) } ?? "")]")
            case "en-media":
                let kind = node["type"].map { " " + CanonicalText.line($0) } ?? ""
                tree.replace(index, by: "[file\(kind)] ")
            case "en-todo":
                let sign = node["checked"]?.lowercased() == "true" ? "[x] " : "[ ] "
                tree.replace(index, by: tree.isInList(index) ? sign : "- " + sign)
            case "input" where node["type"]?.lowercased() == "checkbox":
                tree.replace(index, by: node["checked"] == nil ? "[ ] " : "[x] ")
            case "li":
                guard let style = node["style"]?.lowercased(), style.utf8.count < 10_000 else { continue }
                let rules = style.filter { !$0.isWhitespace }
                if rules.contains("--en-checked:true") { tree.insert("[x] ", first: true, in: index) }
                if rules.contains("--en-checked:false") { tree.insert("[ ] ", first: true, in: index) }
            default: break
            }
        }
        addLinks(to: &tree)
    }

    /// Links are around what they lead from, pictures too.
    private static func addLinks(to tree: inout MarkupTree) {
        for index in tree.nodes.indices where tree[index].name == "a" {
            guard let link = link(tree[index]["href"]) else { continue }
            let text = tree.line(index)
            guard !text.isEmpty, text != link, "mailto:" + text != link else { continue }
            tree.insert("[", first: true, in: index)
            tree.insert("](\(link))", first: false, in: index)
        }
    }

    /// An address that leads somewhere from a note.
    private static func link(_ href: String?) -> String? {
        guard let href, href.utf8.count <= mostLinkBytes else { return nil }
        let link = CanonicalText.line(href)
        let scheme = link.prefix { $0 != ":" }.lowercased()
        return ["http", "https", "mailto", "evernote", "notes", "file"].contains(scheme) ? link : nil
    }
}

extension MarkupTree {
    /// Adds a text as the first or the last child of an element.
    fileprivate mutating func insert(_ text: String, first: Bool, in parent: Int) {
        let added = nodes.count
        nodes.append(Node(name: "", text: text, parent: parent))
        guard !first, var last = nodes[parent].firstChild else {
            nodes[added].nextSibling = nodes[parent].firstChild
            nodes[parent].firstChild = added
            return
        }
        while let next = nodes[last].nextSibling { last = next }
        nodes[last].nextSibling = added
    }

    /// Makes an element a text. What is in it follows: a parser of HTML may take what is behind an element that it does not know
    /// for its content.
    fileprivate mutating func replace(_ index: Int, by text: String) {
        if nodes[index].firstChild != nil {
            (nodes[index].name, nodes[index].attributes) = ("span", [])
            insert(text, first: true, in: index)
        } else {
            (nodes[index].name, nodes[index].text) = ("", text)
        }
    }

    /// Whether an element is in an item of a list, directly or within one other element.
    fileprivate func isInList(_ index: Int) -> Bool {
        let parent = nodes[index].parent
        guard parent >= 0 else { return false }
        if nodes[parent].name == "li" { return true }
        return nodes[parent].parent >= 0 && nodes[nodes[parent].parent].name == "li"
    }
}
