/// Reads DOCX files of Word and other word processors.
///
/// The text is that of the document's body as it stands after all changes: inserted text is read, deleted text, comments,
/// headers and footers are not. Footnotes follow their paragraph, endnotes the document. Text that is formatted as hidden
/// is left out and said. Pages are those that Word last laid out (`w:lastRenderedPageBreak`, page breaks, sections); a
/// document without them has pages by headings, or estimated ones.
enum DOCXReader {
    static func read(_ bytes: [UInt8], limits: DocumentLimits) throws(DocumentError) -> Document {
        let package = try DOCXPackage(ZipArchive(bytes, limits: limits))
        var writer = DOCXWriter(package, DocumentBuilder(limits: limits))
        writer.writeBody()
        var builder = writer.builder
        if package.document.isCut || package.document.isDamaged {
            let loss = package.loss ?? "what could be read is there"
            builder.notices.append(DocumentNotice(.cut, "The document is damaged or nested too deeply: \(loss)."))
        }
        if writer.hasHiddenText {
            builder.notices.append(DocumentNotice(.hiddenText, "Text that is formatted as hidden was left out."))
        }
        var metadata = package.metadata
        if metadata.title == nil || metadata.title?.isEmpty == true { metadata.title = writer.title }
        let breaks = builder.pageStarts.dropFirst()
        guard !breaks.isEmpty else {
            return try builder.document(.docx, metadata, paging: .sections(builder.mainSections()))
        }
        if writer.renderedBreaks == 0, longestPage(builder) > 6000 {
            // The author's own breaks separate chapters, not pages.
            return try builder.document(.docx, metadata, paging: .sections(Set(breaks.map(\.offset)).sorted()))
        }
        return try builder.document(.docx, metadata, paging: .given(.breaks))
    }

    /// In bytes.
    private static func longestPage(_ builder: DocumentBuilder) -> Int {
        let borders = builder.pageStarts.map(\.offset) + [builder.utf8.count]
        return zip(borders, borders.dropFirst()).map { $1 - $0 }.max() ?? 0
    }
}
