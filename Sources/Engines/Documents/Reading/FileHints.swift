/// What the sender of a file says about it.
struct FileHints: Equatable {
    /// The extension of the name without the dot, lower case.
    var fileExtension: String?
    /// The media type without parameters, lower case.
    var mediaType: String?
    /// The `charset` of the type.
    var charset: String?

    init(name: String? = nil, contentType: String? = nil) {
        if let name, let dot = name.lastIndex(of: "."), dot > name.startIndex {
            let ending = name[name.index(after: dot)...]
            if (1...10).contains(ending.utf8.count) { fileExtension = ending.lowercased() }
        }
        let parts = contentType?.prefix(1000).split(separator: ";").map { CanonicalText.line($0) } ?? []
        mediaType = parts.first?.lowercased()
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1).map { CanonicalText.line($0) }
            if pair.count == 2, pair[0].lowercased() == "charset" { charset = pair[1] }
        }
    }

    /// The format that the name or the type means. The name counts first: servers often send a type that is too general.
    var format: DocumentFormat? {
        fileExtension.flatMap { Self.extensions[$0] } ?? mediaType.flatMap { Self.mediaTypes[$0] }
    }

    private static let extensions: [String: DocumentFormat] = [
        "pdf": .pdf, "epub": .epub, "docx": .docx, "docm": .docx, "dotx": .docx,
        "html": .html, "htm": .html, "xhtml": .html, "xht": .html,
        "md": .markdown, "markdown": .markdown, "mdown": .markdown, "mkd": .markdown, "mkdn": .markdown,
        "txt": .text, "text": .text, "log": .text, "asc": .text,
    ]

    private static let mediaTypes: [String: DocumentFormat] = [
        "application/pdf": .pdf, "application/epub+zip": .epub,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": .docx,
        "text/html": .html, "application/xhtml+xml": .html,
        "text/markdown": .markdown, "text/x-markdown": .markdown, "text/plain": .text,
    ]
}
