package import Documents

/// Tells the format of a file from its first bytes, its name and its content type. Reading it decides for good.
package enum FileFormat {
    /// The bytes that are looked at.
    package static let headBytes = 4096

    private static let byExtension: [String: DocumentFormat] = [
        "pdf": .pdf, "epub": .epub, "docx": .docx, "html": .html, "htm": .html, "xhtml": .html, "md": .markdown,
        "markdown": .markdown, "txt": .text, "text": .text,
    ]

    /// The format; nil when the file is none that the gateway reads.
    ///
    /// - Parameters:
    ///   - head: The first bytes of the file, at most ``headBytes``.
    ///   - name: The name of the file, or the path of a URL.
    package static func of(_ head: [UInt8], name: String, contentType: String?) -> DocumentFormat? {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let type = contentType?.prefix { $0 != ";" }.lowercased() ?? ""
        let start = String(decoding: head.prefix(1024), as: UTF8.self)
        if start.contains("%PDF-") { return .pdf }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            let text = String(decoding: head, as: UTF8.self)
            if text.contains("application/epub+zip") || ending == "epub" || type == "application/epub+zip" {
                return .epub
            }
            let isWord = ending == "docx" || type.contains("wordprocessingml") || text.contains("word/")
            return isWord || text.contains("[Content_Types].xml") ? .docx : nil
        }
        let isWide = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
        guard isWide || !head.contains(0), !head.isEmpty else { return nil }
        if let known = byExtension[ending] { return [.html, .markdown, .text].contains(known) ? known : nil }
        let tag = start.lowercased()
        if type == "text/html" || type == "application/xhtml+xml" || tag.contains("<!doctype html")
            || tag.contains("<html")
        {
            return .html
        }
        if type == "text/markdown" { return .markdown }
        // Most bytes of a text are no control characters.
        let controls = head.count { $0 < 0x09 || (0x0E..<0x20).contains($0) }
        return isWide || controls * 20 < head.count ? .text : nil
    }
}
