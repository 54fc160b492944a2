/// Reads a file of any format that the gateway knows.
package enum DocumentReader {
    /// Reads a document from the bytes of its file.
    ///
    /// The format is found by the first bytes, then by the name and the type. The work and the memory are bounded by the
    /// limits, but a hostile file may use them up: read files of strangers in a process of its own.
    ///
    /// - Parameters:
    ///   - name: The name of the file, for its extension.
    ///   - contentType: The type that the sender gave, with or without parameters.
    ///   - content: What of a web page is read; it means nothing for other formats.
    package static func read(
        _ bytes: [UInt8], name: String? = nil, contentType: String? = nil,
        content: HTMLContent = .whole, limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> Document {
        guard bytes.count <= limits.fileBytes else {
            throw DocumentError(
                .tooLarge, "The file has \(bytes.count) bytes; the limit is \(limits.fileBytes).")
        }
        let hints = FileHints(name: name, contentType: contentType)
        switch try FormatDetection.format(of: bytes, hints) {
        case .pdf: return try PDFReader.read(bytes, limits: limits)
        case .text: return try PlainTextReader.read(bytes, charset: hints.charset, limits: limits)
        case .markdown: return try MarkdownReader.read(bytes, charset: hints.charset, limits: limits)
        case .epub: return try EPUBReader.read(bytes, limits: limits)
        case .docx: return try DOCXReader.read(bytes, limits: limits)
        case .html: return try HTMLReader.read(bytes, charset: hints.charset, content: content, limits: limits)
        }
    }
}
