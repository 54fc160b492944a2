/// The parts of a DOCX file that have text or say how it is meant.
struct DOCXPackage {
    var document: MarkupTree
    /// How much of the document's text is missing; nil for hardly any.
    var loss: String?
    var styles: DOCXStyles
    /// Notes by id.
    var footnotes: DOCXNotes
    var endnotes: DOCXNotes
    var metadata: DocumentMetadata

    /// - Throws: `damaged` when there is no main document.
    init(_ archive: ZipArchive) throws(DocumentError) {
        let root = try Self.relations("_rels/.rels", "", archive)
        let main = root["officeDocument"] ?? "word/document.xml"
        var bytes = try archive.readIfIntact(main)
        var found = bytes.flatMap { MarkupParser.xml($0, isLenient: true) }
        if found == nil {
            bytes = try archive.readIfIntact("word/document.xml")
            found = bytes.flatMap { MarkupParser.xml($0, isLenient: true) }
        }
        guard let tree = found else {
            throw DocumentError(
                .damaged, "The DOCX file has no readable document part. Open and save it in a word processor.")
        }
        document = tree
        if tree.isDamaged || tree.isCut { loss = FlatMarkup.loss(tree, of: bytes ?? []) }
        let folder = main.split(separator: "/").dropLast().joined(separator: "/")
        let name = main.split(separator: "/").last ?? ""
        let parts = try Self.relations("\(folder)/_rels/\(name).rels", main, archive)
        styles = try DOCXStyles(Self.part(parts["styles"], archive))
        footnotes = try DOCXNotes(Self.part(parts["footnotes"], archive), "w:footnote")
        endnotes = try DOCXNotes(Self.part(parts["endnotes"], archive), "w:endnote")
        metadata = DocumentMetadata()
        if let core = try Self.part(root["core-properties"] ?? "docProps/core.xml", archive) {
            func text(_ name: String) -> String? { core.first(name).map { core.line($0) } }
            metadata.title = text("dc:title")
            metadata.authors = text("dc:creator")?.split(separator: ";").map { CanonicalText.line($0) } ?? []
            metadata.language = text("dc:language")
            metadata.identifier = text("dc:identifier")
        }
        if LanguageTag.tag(metadata.language) == nil { metadata.language = styles.language }
    }

    private static func part(_ path: String?, _ archive: ZipArchive) throws(DocumentError) -> MarkupTree? {
        guard let path else { return nil }
        return try archive.readIfIntact(path).flatMap { MarkupParser.xml($0, isLenient: true) }
    }

    /// The paths of related parts by the last word of their type.
    private static func relations(_ path: String, _ base: String, _ archive: ZipArchive) throws(DocumentError)
        -> [String: String]
    {
        guard let tree = try part(path, archive) else { return [:] }
        var result: [String: String] = [:]
        for index in tree.all("Relationship") {
            guard tree[index]["TargetMode"] != "External", let type = tree[index]["Type"]?.split(separator: "/").last,
                let target = tree[index]["Target"].flatMap({ ArchivePath($0, from: base) })
            else { continue }
            if result[String(type)] == nil { result[String(type)] = target.path }
        }
        return result
    }
}

/// The footnotes or endnotes of a document.
struct DOCXNotes {
    let tree: MarkupTree
    let places: [String: Int]

    init(_ tree: MarkupTree?, _ name: String) {
        self.tree = tree ?? MarkupTree()
        var places: [String: Int] = [:]
        for index in self.tree.all(name) {
            // Separators between text and notes have a type.
            let type = self.tree[index]["w:type"] ?? "normal"
            if type == "normal", let id = self.tree[index]["w:id"] { places[id] = index }
        }
        self.places = places
    }
}
