/// Reads EPUB 2 and 3.
///
/// The text is that of the spine in the order of reading; files outside the main order come last. Pages are those of the
/// page list or of the page marks in the text, with their printed labels; the files of a book with fixed layout; else
/// chapters, cut by length. Headings come from the table of contents, with the text's own below them.
enum EPUBReader {
    static func read(_ bytes: [UInt8], limits: DocumentLimits) throws(DocumentError) -> Document {
        let archive = try ZipArchive(bytes, limits: limits)
        let container = try EPUBContainer(archive)
        var package: EPUBPackage?
        for link in container.packages where package == nil {
            // Links are relative to the real name.
            guard let path = archive.spelling(of: link) else { continue }
            if let bytes = try archive.read(path) { package = try? EPUBPackage(bytes, path: path) }
        }
        guard let package else {
            throw DocumentError(.damaged, "The EPUB file has no package document. Download or export it again.")
        }
        let contents = try contents(of: package, in: archive)
        let protected = Set(container.protected.compactMap { archive.spelling(of: $0) })
        let spine = package.spine.compactMap { archive.spelling(of: $0.path) }
        if !protected.isDisjoint(with: spine) { throw isProtected }
        var text = EPUBText(package: package, contents: contents, limits: limits)
        for item in package.spine {
            guard !text.builder.isFull else { break }
            let bytes = try archive.readIfIntact(item.path)
            if container.hasRights, let bytes, !isText(bytes) { throw isProtected }
            text.add(item, bytes)
        }
        var metadata = package.metadata
        metadata.cover = cover(package, archive)
        return try text.document(metadata)
    }

    private static let isProtected = DocumentError(
        .protected, "The book is protected by digital rights management. Add a copy without it.")

    /// Whether bytes may be XML or HTML; encrypted ones look random.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        let start = bytes.prefix(512)
        return bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || (start.contains(UInt8(ascii: "<")) && start.count { $0 < 9 } * 20 < start.count)
    }

    static func contents(of package: EPUBPackage, in archive: ZipArchive) throws(DocumentError) -> EPUBContents {
        var contents = EPUBContents()
        if let item = package.navigation, let bytes = try archive.readIfIntact(item.path),
            let tree = MarkupParser.xml(bytes) ?? MarkupParser.xml(bytes, isLenient: true)
        {
            contents = EPUBContents(navigation: tree, path: item.path)
        }
        guard contents.chapters.isEmpty || contents.pages.isEmpty, let item = package.ncx,
            let bytes = try archive.readIfIntact(item.path), let tree = MarkupParser.xml(bytes, isLenient: true)
        else { return contents }
        let older = EPUBContents(ncx: tree, path: item.path)
        if contents.chapters.isEmpty { contents.chapters = older.chapters }
        if contents.pages.isEmpty { contents.pages = older.pages }
        return contents
    }

    /// The cover, if it is a picture that readers show and not too large. A damaged one is left out.
    private static func cover(_ package: EPUBPackage, _ archive: ZipArchive) -> [UInt8]? {
        guard let item = package.coverImage, let found = try? archive.read(item.path),
            found.count <= Document.maxCoverBytes, CoverPicture.mediaType(of: found) != nil
        else { return nil }
        return found
    }
}
