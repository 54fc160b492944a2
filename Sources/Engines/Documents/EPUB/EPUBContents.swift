/// The table of contents and the page list of an EPUB file.
struct EPUBContents {
    struct Entry {
        /// 1 is the highest.
        var level: Int
        var title: String
        var target: ArchivePath?
    }

    var chapters: [Entry] = []
    /// The printed pages; the titles are their labels.
    var pages: [Entry] = []

    static let maxEntries = 100_000

    init() {}

    /// Reads the navigation document of EPUB 3.
    init(navigation tree: MarkupTree, path: String) {
        for nav in tree.all("nav") {
            let types = tree[nav].words("epub:type")
            let roles = tree[nav].words("role")
            if types.contains("toc") || roles.contains("doc-toc"), chapters.isEmpty {
                chapters = Self.entries(tree, nav, path, isChapter: true)
            } else if types.contains("page-list") || roles.contains("doc-pagelist"), pages.isEmpty {
                pages = Self.entries(tree, nav, path, isChapter: false)
            }
        }
    }

    private static func entries(_ tree: MarkupTree, _ nav: Int, _ path: String, isChapter: Bool) -> [Entry] {
        var (result, level): ([Entry], Int) = ([], 0)
        tree.walk(nav) { step in
            switch step {
            case .enter(let index):
                let node = tree[index]
                if node.name == "ol" { level += 1 }
                // An entry is a link, or text when only the entries below it have places.
                guard node.name == "a" || (node.name == "span" && node.parent >= 0 && tree[node.parent].name == "li"),
                    level > 0, result.count < maxEntries
                else { return true }
                let title = label(tree, index)
                if !title.isEmpty {
                    let target = node["href"].flatMap { ArchivePath($0, from: path) }
                    result.append(Entry(level: isChapter ? min(level, 6) : 1, title: title, target: target))
                }
                return false
            case .exit(let index):
                if tree[index].name == "ol" { level -= 1 }
                return true
            }
        }
        return result
    }

    /// The text of a link, or the alternative texts of its images.
    private static func label(_ tree: MarkupTree, _ index: Int) -> String {
        let line = tree.line(index)
        guard line.isEmpty else { return line }
        var texts: [String] = []
        tree.walk(index) { step in
            if case .enter(let node) = step,
                let text = tree[node]["alt"] ?? tree[node]["title"] ?? tree[node]["aria-label"]
            {
                texts.append(text)
            }
            return true
        }
        return CanonicalText.line(texts.joined(separator: " "))
    }

    /// Reads the NCX of EPUB 2.
    init(ncx tree: MarkupTree, path: String) {
        var level = 0
        guard let root = tree.root else { return }
        tree.walk(root) { step in
            switch step {
            case .enter(let index):
                let isChapter = tree[index].name == "navPoint"
                if isChapter { level += 1 }
                guard isChapter || tree[index].name == "pageTarget", chapters.count + pages.count < Self.maxEntries
                else {
                    return true
                }
                let title = tree.child(index, "navLabel").map { tree.line($0) } ?? ""
                let target = tree.child(index, "content").flatMap { tree[$0]["src"] }.flatMap {
                    ArchivePath($0, from: path)
                }
                if isChapter {
                    if !title.isEmpty { chapters.append(Entry(level: min(level, 6), title: title, target: target)) }
                } else if let label = PageBreak.normalized(title) ?? tree[index]["value"] {
                    pages.append(Entry(level: 1, title: label, target: target))
                }
            case .exit(let index):
                if tree[index].name == "navPoint" { level -= 1 }
            }
            return true
        }
    }
}
