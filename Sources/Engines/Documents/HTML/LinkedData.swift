import Foundation

/// What a page's linked data (JSON-LD of schema.org) says about its article.
struct LinkedData {
    private(set) var title: String?
    private(set) var authors: [String] = []
    private(set) var published: String?

    static let maxBytes = 1 << 20

    init(_ tree: MarkupTree) {
        for index in tree.all("script").prefix(200) where tree[index]["type"]?.lowercased() == "application/ld+json" {
            let text = tree.text(index)
            guard text.utf8.count <= Self.maxBytes, let root = try? JSONSerialization.jsonObject(with: Data(text.utf8))
            else {
                continue
            }
            read(root)
            if title != nil { return }
        }
    }

    /// Looks for an article in a list, in a graph or at the top.
    private mutating func read(_ root: Any) {
        var queue: [Any] = [root]
        var count = 0
        while count < queue.count, count < 1000 {
            defer { count += 1 }
            if let list = queue[count] as? [Any] { queue += list.prefix(1000) }
            guard let object = queue[count] as? [String: Any] else { continue }
            if let graph = object["@graph"] as? [Any] { queue += graph.prefix(1000) }
            let types = (object["@type"] as? [Any] ?? [object["@type"] as Any]).compactMap { $0 as? String }
            guard
                types.contains(where: {
                    $0.hasSuffix("Article") || $0.hasSuffix("Posting") || $0 == "Report" || $0 == "TechArticle"
                })
            else { continue }
            title = (object["headline"] ?? object["name"]) as? String
            published = object["datePublished"] as? String
            let people = object["author"] as? [Any] ?? [object["author"] as Any]
            authors = people.prefix(20).compactMap { ($0 as? [String: Any])?["name"] as? String ?? $0 as? String }
                .filter { !$0.hasPrefix("http") && $0.utf8.count < 200 }
            return
        }
    }
}
