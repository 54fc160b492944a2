import Foundation

/// Reads PDF files.
///
/// libqpdf gives the objects; the content of pages is interpreted here. Memory and time grow with the file's size, within
/// the limits. Meant for a process of its own: libqpdf is C++ and reads what strangers wrote.
package enum PDFReader {
    /// Reads a file by its path.
    ///
    /// - Throws: `encrypted` for a password other than the empty one, `damaged`, `tooLarge`, `empty` for a file without
    ///   pages. A file without text gives empty pages and a notice.
    package static func read(path: String, limits: DocumentLimits = DocumentLimits()) throws(DocumentError) -> Document
    {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        try check(size ?? 0, limits)
        return try PDFDocumentReader(PDFFile(path: path, limits: limits), limits: limits).read()
    }

    /// Reads a file in memory, as ``read(path:limits:)`` does.
    package static func read(bytes: [UInt8], limits: DocumentLimits = DocumentLimits()) throws(DocumentError)
        -> Document
    {
        try check(bytes.count, limits)
        return try PDFDocumentReader(PDFFile(bytes: bytes, limits: limits), limits: limits).read()
    }

    private static func check(_ size: Int, _ limits: DocumentLimits) throws(DocumentError) {
        guard size > limits.fileBytes else { return }
        throw DocumentError(.tooLarge, "The file has \(size) bytes, more than the limit of \(limits.fileBytes).")
    }
}

/// Reads one file page by page.
private struct PDFDocumentReader {
    let file: PDFFile
    let limits: DocumentLimits

    init(_ file: PDFFile, limits: DocumentLimits) {
        self.file = file
        self.limits = limits
    }

    func read() throws(DocumentError) -> Document {
        let tree = PageTree(file, limits: limits)
        guard !tree.pages.isEmpty else {
            throw DocumentError(.empty, "The PDF has no pages.")
        }
        var interpreter = ContentInterpreter(file, hiddenLayers: HiddenLayers.references(file))
        var notes = PageNotes()
        var cover: [UInt8]?
        var texts: [PageText] = []
        texts.reserveCapacity(tree.pages.count)
        var bytesLeft = limits.textBytes
        for (index, page) in tree.pages.enumerated() {
            var content = PageContent()
            let size = page.size
            if bytesLeft > 0, file.unpackedBytesLeft > 0 {
                let area = Rectangle(minX: 0, minY: 0, maxX: size.width, maxY: size.height)
                content = interpreter.run(page, matrix: page.matrix, size: area)
            } else {
                content.isFailed = true
            }
            if index == 0 { cover = self.cover(content) }
            notes.add(&content, page: index + 1)
            let text = PageLayout.text(
                content.glyphs, pool: interpreter.fonts.pool, width: size.width, height: size.height)
            bytesLeft -= text.bytes.count
            texts.append(text)
        }
        var outline = OutlineReader(file, pages: tree.pages)
        var assembler = DocumentAssembler(limits: limits)
        assembler.add(&texts, labels: PageLabels.labels(file, pages: tree.pages.count), outline: outline.entries())
        var document = assembler.document
        let metadata = Metadata(file)
        document.title = metadata.title
        document.authors = metadata.authors
        document.language = metadata.language
        document.identifier = metadata.identifier
        document.cover = cover
        document.notices = notes.notices(
            isRepaired: file.isDamaged, isCut: tree.isCut || assembler.isCut || file.isCut, limits: limits)
        return document
    }

    /// The JPEG that covers the first page.
    private func cover(_ content: PageContent) -> [UInt8]? {
        guard let image = content.cover else { return nil }
        let data = file.data(image)
        guard data.filters == ["DCTDecode"] || data.filters == ["DCT"], data.bytes.starts(with: [0xFF, 0xD8]),
            data.bytes.count <= Document.maxCoverBytes
        else { return nil }
        return data.bytes
    }
}
