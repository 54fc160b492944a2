/// What of a web page is read.
package enum HTMLContent: String, Sendable, Hashable, Codable {
    /// All that a browser shows.
    case whole
    /// The article, without menus, comments and other parts around it; everything when there is no article.
    case article
    /// The article, and where the links of the whole page lead.
    case articleAndLinks = "article_and_links"
}

/// Reads HTML files and web pages.
enum HTMLReader {
    /// - Parameter charset: The character set that the server named.
    /// - Throws: `empty` when the page has no text, with the likely reason.
    static func read(
        _ bytes: [UInt8], charset: String? = nil, content: HTMLContent = .whole, limits: DocumentLimits
    ) throws(DocumentError) -> Document {
        let decoded = CharsetDecoder.decode(
            bytes, declared: charset ?? HTMLCharset.declared(bytes), maxBytes: ZipArchive.maxEntryBytes)
        guard let tree = MarkupParser.html(decoded.utf8), let root = tree.root else { throw BlockedPage.noText }
        let metadata = HTMLMetadata.read(tree)
        var builder = DocumentBuilder(limits: limits)
        if content != .whole, let article = Article.find(in: tree) {
            var writer = MarkupWriter(tree)
            writer.leavesOutDecoration = true
            writer.skipped = article.skipped
            writer.write(article.root, into: &builder)
        }
        if builder.utf8.count < Article.leastBytes {
            builder = DocumentBuilder(limits: limits)
            var writer = MarkupWriter(tree)
            writer.write(root, into: &builder)
        }
        builder.end()
        if let error = BlockedPage.error(tree, textBytes: builder.utf8.count, title: metadata.title) { throw error }
        if decoded.isGuessed { builder.notices.append(.guessedCharset(decoded.charset)) }
        if tree.isCut {
            let loss = FlatMarkup.loss(tree, of: decoded.utf8) ?? "the rest was left out"
            builder.notices.append(DocumentNotice(.cut, "The page is nested too deeply or too large: \(loss)."))
        }
        let paging: DocumentBuilder.Paging =
            builder.pageStarts.count < 2 ? .sections(builder.mainSections()) : .given(.labels)
        var document = try builder.document(.html, metadata, paging: paging)
        if content == .articleAndLinks { document.links = PageLinks.read(tree) }
        return document
    }
}
