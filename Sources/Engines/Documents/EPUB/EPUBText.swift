/// Collects the text of a publication's files, then finds pages and headings in it.
struct EPUBText {
    private(set) var builder: DocumentBuilder
    private let package: EPUBPackage
    private let contents: EPUBContents
    /// The names of all places that the contents and the page list use.
    private let targets: Set<String>
    /// Links by position, by the id of their file in the spine.
    private let fragments: [String: [EPUBFragment]]
    /// The texts' starts, by file.
    private var starts: [Int] = []
    private var failed: [String] = []
    private var repaired: [String] = []
    /// Files of which a part is missing, with how much.
    private var cut: [String] = []

    /// The most links by position into one file; each may look through all of it.
    static let maxFragments = 5000

    init(package: EPUBPackage, contents: EPUBContents, limits: DocumentLimits) {
        builder = DocumentBuilder(limits: limits)
        (self.package, self.contents) = (package, contents)
        var (targets, fragments): (Set<String>, [String: [EPUBFragment]]) = ([], [:])
        for target in (contents.chapters + contents.pages).compactMap(\.target) {
            targets.insert(target.target)
            guard let fragment = target.fragment.flatMap({ EPUBFragment($0) }),
                package.spineOrder.indices.contains(fragment.spineIndex)
            else { continue }
            fragments[package.spineOrder[fragment.spineIndex], default: []].append(fragment)
        }
        (self.targets, self.fragments) = (targets, fragments)
        failed = package.missing
    }

    /// Adds the text of a file of the spine; nil for a file that cannot be read.
    mutating func add(_ item: EPUBPackage.Item, _ bytes: [UInt8]?) {
        guard let bytes, let tree = parse(bytes, item), let root = tree.root else {
            failed.append(item.path)
            return
        }
        if tree.isCut {
            cut.append("\"\(item.path.prefix(100))\": \(FlatMarkup.loss(tree, of: bytes) ?? "the rest was left out")")
        }
        builder.mark(.anchor(item.path))
        if package.isFixed { builder.mark(.page(label: nil)) }
        let before = builder.blocks.count
        var writer = MarkupWriter(tree)
        writer.scope = item.path
        writer.targets = targets
        var cache: [Int: [Int]] = [:]
        for fragment in (fragments[item.id] ?? []).prefix(Self.maxFragments) {
            guard let place = fragment.node(in: tree, &cache) else { continue }
            writer.places[place.index, default: []].append((place.offset, Self.name(of: fragment)))
        }
        // Lists of pages and landmarks are for reading systems.
        for nav in tree.all("nav")
        where !Set(tree[nav].words("epub:type")).isDisjoint(with: ["page-list", "landmarks"]) {
            writer.skipped.insert(nav)
        }
        writer.write(root, into: &builder)
        if before < builder.blocks.count { starts.append(builder.blocks[before].range.lowerBound) }
    }

    private mutating func parse(_ bytes: [UInt8], _ item: EPUBPackage.Item) -> MarkupTree? {
        if let tree = MarkupParser.xml(bytes) { return tree }
        repaired.append(item.path)
        let decoded = CharsetDecoder.decode(
            bytes, declared: HTMLCharset.declared(bytes), maxBytes: ZipArchive.maxEntryBytes)
        return MarkupParser.html(decoded.utf8)
    }

    static func name(of fragment: EPUBFragment) -> String {
        "cfi:\(fragment.spineIndex)/\(fragment.steps.map(String.init).joined(separator: "/")):\(fragment.offset)"
    }

    mutating func document(_ metadata: DocumentMetadata) throws(DocumentError) -> Document {
        builder.end()
        if !failed.isEmpty {
            builder.notices.append(
                DocumentNotice(.failedPages, "Files of the book could not be read: \(Self.list(failed))."))
        }
        if !cut.isEmpty {
            let more = cut.count > 5 ? " and \(cut.count - 5) more" : ""
            builder.notices.append(
                DocumentNotice(
                    .cut,
                    "Files of the book are nested too deeply or too large: "
                        + "\(cut.prefix(5).joined(separator: "; "))\(more)."))
        }
        if package.isUnordered {
            builder.notices.append(
                DocumentNotice(
                    .repaired,
                    "The book says no order of reading; its files are in the order of its list, or of their names."))
        }
        if !repaired.isEmpty {
            builder.notices.append(
                DocumentNotice(
                    .repaired, "Files of the book are damaged and were read as far as possible: \(Self.list(repaired))."
                ))
        }
        let headings = EPUBHeadings.headings(contents.chapters.map { ($0, place(of: $0.target)) }, builder)
        if package.isFixed {
            return try builder.document(.epub, metadata, paging: .given(.physical), headings: headings)
        }
        let pages = contents.pages.compactMap { entry in
            place(of: entry.target).map {
                DocumentBuilder.PageStart(offset: $0, label: PageBreak.normalized(entry.title))
            }
        }
        if !pages.isEmpty { builder.replacePages(pages) }
        if builder.pageStarts.contains(where: { $0.label != nil }) || builder.pageStarts.count > 1 {
            return try builder.document(.epub, metadata, paging: .given(.labels), headings: headings)
        }
        let sections = Set(builder.mainSections(headings) + starts).sorted()
        return try builder.document(.epub, metadata, paging: .sections(sections), headings: headings)
    }

    /// The place of a link in the text; nil when its file is not in the spine.
    private func place(of target: ArchivePath?) -> Int? {
        guard let target else { return nil }
        if let fragment = target.fragment.flatMap({ EPUBFragment($0) }) {
            return builder.anchors[Self.name(of: fragment)]
        }
        // A link to a name that the file lacks means the file.
        return builder.anchors[target.target] ?? builder.anchors[target.path]
    }

    private static func list(_ paths: [String]) -> String {
        let names = paths.prefix(5).map { "\"\($0.prefix(100))\"" }.joined(separator: ", ")
        return paths.count > 5 ? "\(names) and \(paths.count - 5) more" : names
    }
}
