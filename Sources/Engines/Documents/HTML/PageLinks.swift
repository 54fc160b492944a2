/// The links of a web page.
enum PageLinks {
    /// Finds the targets of all links but those within the page.
    static func read(_ tree: MarkupTree) -> DocumentLinks {
        var links = DocumentLinks(base: tree.first("base").flatMap { target(tree[$0]) })
        var known: Set<String> = []
        for node in tree.nodes where node.name == "a" || node.name == "area" {
            guard links.targets.count < DocumentLinks.maxTargets else { break }
            guard let target = target(node), !target.hasPrefix("#"), known.insert(target).inserted else { continue }
            links.targets.append(target)
        }
        return links
    }

    private static func target(_ node: MarkupTree.Node) -> String? {
        guard let href = node["href"], href.utf8.count <= DocumentLinks.maxTargetBytes else { return nil }
        let target = href.drop(while: \.isWhitespace)
        guard let last = target.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(target[...last])
    }
}
