/// The package document of an EPUB file: metadata, the list of files and their order.
struct EPUBPackage {
    struct Item {
        var path: String
        var mediaType: String
        var properties: [String]
        var fallback: String?
        var id: String
    }

    /// The path of the package document.
    let path: String
    var metadata = DocumentMetadata()
    private(set) var items: [String: Item] = [:]
    /// The ids of the items in the order of the document.
    private var order: [String] = []
    /// The same ids without their case: those of the spine may be spelled otherwise.
    private var foldedIDs: [String: String] = [:]
    /// Entries of the spine that no item has.
    private(set) var missing: [String] = []
    /// Whether the order of reading is that of the list of files, because the document says none.
    private(set) var isUnordered = false
    /// Files in the order of reading, by id: those outside the main order come last.
    private(set) var spine: [Item] = []
    /// The ids of the spine's items in the package's own order, for links by position.
    private(set) var spineOrder: [String] = []
    /// The navigation document of EPUB 3.
    private(set) var navigation: Item?
    /// The contents of EPUB 2.
    private(set) var ncx: Item?
    private(set) var coverImage: Item?
    /// Whether each file of the spine is a page of fixed size.
    private(set) var isFixed = false

    static let maxItems = 100_000

    /// - Throws: `damaged` when the document is no package.
    init(_ bytes: [UInt8], path: String) throws(DocumentError) {
        self.path = path
        guard let tree = MarkupParser.xml(bytes, isLenient: true), let root = tree.root,
            tree.first("manifest") != nil || tree.first("spine") != nil
        else { throw DocumentError(.damaged, "The package document of the EPUB file is damaged.") }
        var properties: [(of: String, name: String, value: String)] = []
        for index in tree.all("meta") {
            guard let name = tree[index]["property"] else { continue }
            let subject = tree[index]["refines"].map { String($0.drop { $0 == "#" }) } ?? ""
            if properties.count < 1000 { properties.append((subject, name, tree.line(index))) }
        }
        readMetadata(tree, properties, uniqueID: tree[root]["unique-identifier"])
        readManifest(tree)
        let spine = tree.first("spine")
        readSpine(tree, spine)
        ncx =
            spine.flatMap { tree[$0]["toc"] }.flatMap { items[$0] }
            ?? items.values.filter { $0.mediaType == "application/x-dtbncx+xml" }.min { $0.path < $1.path }
        navigation = items.values.filter { $0.properties.contains("nav") }.min { $0.path < $1.path }
        coverImage =
            items.values.filter { $0.properties.contains("cover-image") }.min { $0.path < $1.path }
            ?? tree.all("meta").first { tree[$0]["name"] == "cover" }.flatMap { tree[$0]["content"] }.flatMap {
                items[$0]
            }
        let isWhole = properties.contains {
            $0.of.isEmpty && $0.name == "rendition:layout" && $0.value == "pre-paginated"
        }
        let own = tree.all("itemref").map { tree[$0].words("properties") }
        isFixed =
            isWhole
            ? !own.contains { $0.contains("rendition:layout-reflowable") }
            : !own.isEmpty && own.allSatisfy { $0.contains("rendition:layout-pre-paginated") }
    }

    private mutating func readMetadata(
        _ tree: MarkupTree, _ properties: [(of: String, name: String, value: String)], uniqueID: String?
    ) {
        func property(_ name: String, of index: Int) -> String? {
            guard let id = tree[index]["id"] else { return nil }
            return properties.first { $0.of == id && $0.name == name }?.value
        }
        let titles = tree.all("dc:title")
        metadata.title = (titles.first { property("title-type", of: $0) == "main" } ?? titles.first).map {
            tree.line($0)
        }
        let creators = tree.all("dc:creator").prefix(100).map { index in
            (
                name: tree.line(index),
                role: property("role", of: index) ?? tree[index]["opf:role"] ?? tree[index]["role"]
            )
        }
        let authors = creators.filter { $0.role == nil || $0.role == "aut" }
        for author in authors.isEmpty ? creators : authors where !metadata.authors.contains(author.name) {
            metadata.authors.append(author.name)
        }
        metadata.language = tree.all("dc:language").lazy.map { tree.line($0) }.first { LanguageTag.tag($0) != nil }
        metadata.published = tree.all("dc:date").first { tree[$0]["opf:event"] ?? "publication" == "publication" }.map {
            tree.line($0)
        }
        let identifiers = tree.all("dc:identifier")
        metadata.identifier = (identifiers.first { tree[$0]["id"] == uniqueID } ?? identifiers.first).map {
            tree.line($0)
        }
    }

    private mutating func readManifest(_ tree: MarkupTree) {
        for index in tree.all("item").prefix(Self.maxItems) {
            let node = tree[index]
            guard let id = node["id"], let link = node["href"], let target = ArchivePath(link, from: path) else {
                continue
            }
            if items[id] == nil { order.append(id) }
            if foldedIDs[id.lowercased()] == nil { foldedIDs[id.lowercased()] = id }
            items[id] = Item(
                path: target.path, mediaType: node["media-type"]?.lowercased() ?? "",
                properties: node.words("properties"), fallback: node["fallback"], id: id)
        }
    }

    private mutating func readSpine(_ tree: MarkupTree, _ spine: Int?) {
        // A file that comes twice is read twice, as EPUB 3.3 demands.
        var (main, rest): ([Item], [Item]) = ([], [])
        for index in (spine.map { tree.children($0) } ?? []).prefix(Self.maxItems) where tree[index].name == "itemref" {
            let written = tree[index]["idref"] ?? ""
            let id = items[written] == nil ? foldedIDs[written.lowercased()] ?? written : written
            spineOrder.append(id)
            guard let item = readable(id) else {
                if items[id] == nil, missing.count < 1000 { missing.append(written) }
                continue
            }
            if tree[index]["linear"]?.lowercased() == "no" { rest.append(item) } else { main.append(item) }
        }
        self.spine = main + rest
        guard self.spine.isEmpty else { return }
        // The navigation document is a list of the others.
        self.spine = order.compactMap { id in
            items[id].flatMap { $0.properties.contains("nav") ? nil : readable(id) }.flatMap { $0.id == id ? $0 : nil }
        }
        if self.spine.isEmpty { self.spine = order.compactMap { readable($0) } }
        spineOrder = self.spine.map(\.id)
        isUnordered = !self.spine.isEmpty
    }

    /// An item whose text can be read: itself, or what stands in for it.
    private func readable(_ id: String) -> Item? {
        var (next, seen): (String?, Set<String>) = (id, [])
        while let id = next, seen.insert(id).inserted, seen.count < 20, let item = items[id] {
            if Self.isDocument(item.mediaType) { return item }
            next = item.fallback
        }
        // A wrong type is more likely than a picture.
        return items[id].flatMap { $0.path.lowercased().hasSuffix("html") ? $0 : nil }
    }

    private static func isDocument(_ mediaType: String) -> Bool {
        mediaType.contains("html") || mediaType == "image/svg+xml" || mediaType == "application/x-dtbook+xml"
            || mediaType == "text/x-oeb1-document" || mediaType == "text/xml" || mediaType == "application/xml"
    }
}
