import Foundation

/// What a web page says about itself: linked data, meta elements, and the page's own elements, in this order.
enum HTMLMetadata {
    static func read(_ tree: MarkupTree) -> DocumentMetadata {
        let meta = MetaElements(tree)
        let linked = LinkedData(tree)
        var metadata = DocumentMetadata()
        metadata.title =
            meta["dc:title", "dcterm:title", "dcterms.title", "dc.title", "og:title", "twitter:title", "parsely-title"]
            ?? linked.title ?? tree.first("title").map { tree.line($0) } ?? tree.first("h1").map { tree.line($0) }
        metadata.title = metadata.title.map { withoutSite($0, meta["og:site_name", "application-name"]) }
        let author =
            meta["dc:creator", "dc.creator", "dcterms.creator", "author", "parsely-author", "sailthru.author"]
            ?? meta["article:author"].flatMap { $0.hasPrefix("http") ? nil : $0 }
        metadata.authors = author.map { [$0] } ?? linked.authors
        if metadata.authors.isEmpty, let byline = byline(tree) { metadata.authors = [byline] }
        metadata.language =
            tree.root.flatMap { tree[$0]["lang"] ?? tree[$0]["xml:lang"] } ?? tree.first("body").flatMap {
                tree[$0]["lang"]
            }
            ?? meta["content-language", "og:locale"]
        metadata.published =
            meta[
                "article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "parsely-pub-date",
                "publishdate"]
            ?? linked.published ?? published(tree)
        return metadata
    }

    /// A page's title without the name of its site behind a bar or a dash.
    private static func withoutSite(_ title: String, _ site: String?) -> String {
        guard let site, !site.isEmpty, title.hasSuffix(site) else { return title }
        let rest = CanonicalText.line(title.dropLast(site.count))
        guard let mark = rest.last, "|-–—·:»".contains(mark) else { return title }
        let name = CanonicalText.line(rest.dropLast())
        return name.isEmpty ? title : name
    }

    /// The author by the page's own elements, the surest signs first.
    private static func byline(_ tree: MarkupTree) -> String? {
        let signs: [(MarkupTree.Node) -> Bool] = [
            { $0["rel"]?.lowercased() == "author" }, { $0.words("itemprop").contains("author") },
            { $0.words("class").contains("byline") },
        ]
        for isAuthor in signs {
            for (index, node) in tree.nodes.enumerated() where !node.attributes.isEmpty && isAuthor(node) {
                let name = tree.children(index).first { tree[$0].words("itemprop").contains("name") }
                var line = tree.line(name ?? index)[...]
                if line.lowercased().hasPrefix("by ") { line = line.dropFirst(3) }
                while let last = line.last, " -–—|·,".contains(last) { line = line.dropLast() }
                // A date is no part of a name.
                if (2...60).contains(line.count), !line.contains(where: { $0.isNumber }) { return String(line) }
            }
        }
        return nil
    }

    private static func published(_ tree: MarkupTree) -> String? {
        for node in tree.nodes where !node.attributes.isEmpty {
            if node.words("itemprop").contains("datepublished") || (node.name == "time" && node["pubdate"] != nil) {
                return node["datetime"] ?? node["content"]
            }
        }
        return nil
    }
}

/// The meta elements of a page by name or property, lower case.
private struct MetaElements {
    private var values: [String: String] = [:]

    init(_ tree: MarkupTree) {
        for index in tree.all("meta").prefix(1000) {
            let node = tree[index]
            guard let content = node["content"], content.utf8.count < 10_000 else { continue }
            let line = CanonicalText.line(content)
            guard !line.isEmpty else { continue }
            for attribute in ["name", "property", "itemprop", "http-equiv"] {
                for name in node.words(attribute) where values[name] == nil { values[name] = line }
            }
        }
    }

    /// The value of the first name that has one.
    subscript(names: String...) -> String? { names.lazy.compactMap { values[$0] }.first }
}
