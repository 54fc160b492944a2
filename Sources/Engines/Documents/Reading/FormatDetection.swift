/// Finds the format of a file.
enum FormatDetection {
    /// Finds the format by the first bytes, then by name and type.
    ///
    /// - Throws: `unknownFormat` with the name of the format, if it is a known one that the gateway does not read;
    ///   `encrypted` for office files with a password.
    static func format(of bytes: [UInt8], _ hints: FileHints) throws(DocumentError) -> DocumentFormat {
        guard !bytes.isEmpty else { throw DocumentError(.empty, "The file is empty.") }
        // Some PDF files have bytes before their head; a text may speak of PDF.
        let isNamedText = hints.format.map { [.text, .markdown, .html].contains($0) } ?? false
        if contains("%PDF-", bytes.prefix(isNamedText ? 5 : 1024)) { return .pdf }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) || bytes.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            return try archive(bytes, hints)
        }
        if let other = otherFormat(bytes) { throw other }
        if let named = hints.format {
            if named == .text || named == .markdown || named == .html { return try text(bytes, named) }
            throw DocumentError(
                .damaged, "The file is named or declared as \(named.rawValue), but its bytes are not of that format.")
        }
        let sniffed = isHTML(bytes) ? DocumentFormat.html : .text
        if hints.mediaType?.hasPrefix("text/") == true { return try text(bytes, sniffed) }
        return try text(bytes, sniffed)
    }

    /// EPUB and DOCX are both archives. Their parts have known names, which an archive stores as they are.
    private static func archive(_ bytes: [UInt8], _ hints: FileHints) throws(DocumentError) -> DocumentFormat {
        let start = bytes.prefix(4096)
        if contains("mimetypeapplication/epub+zip", start) { return .epub }
        let names = try ZipArchive(bytes, limits: DocumentLimits()).names
        if names.contains("META-INF/container.xml") { return .epub }
        if names.contains(where: { $0.lowercased() == "[content_types].xml" }) {
            if names.contains(where: { $0.hasPrefix("xl/") || $0.hasPrefix("ppt/") }) {
                throw DocumentError(
                    .unknownFormat, "Spreadsheets and presentations are not read. Export the file as PDF.")
            }
            return .docx
        }
        if let named = hints.format, named == .epub || named == .docx { return named }
        throw DocumentError(.unknownFormat, "The file is an archive, but neither EPUB nor DOCX. Unpack it first.")
    }

    /// Formats that users send and that the gateway does not read.
    private static func otherFormat(_ bytes: [UInt8]) -> DocumentError? {
        func starts(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
        if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
            let package = Array("EncryptedPackage".utf8.map { [$0, 0] }.joined())
            if contains(package, bytes.prefix(1 << 20)) {
                return DocumentError(.encrypted, "The document has a password. Save a copy without it.")
            }
            return DocumentError(.unknownFormat, "Old Office files are not read. Save the document as DOCX.")
        }
        if starts("{\\rtf") {
            return DocumentError(.unknownFormat, "RTF files are not read. Save the document as DOCX.")
        }
        if bytes.count > 68, bytes[60..<68].elementsEqual("BOOKMOBI".utf8) {
            return DocumentError(.unknownFormat, "Kindle files are not read. Convert the book to EPUB.")
        }
        if starts("AT&TFORM") {
            return DocumentError(.unknownFormat, "DjVu files are not read. Convert the file to PDF.")
        }
        if starts("\u{7F}ELF") || bytes.starts(with: [0x1F, 0x8B]) || starts("Rar!") || starts("7z\u{BC}")
            || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) || bytes.starts(with: [0xFF, 0xD8, 0xFF]) || starts("GIF8")
        {
            return DocumentError(
                .unknownFormat,
                "The file is an image, a program or an archive. PDF, EPUB, DOCX, HTML, Markdown and text are read.")
        }
        return nil
    }

    /// A text format, unless the bytes are no text.
    private static func text(_ bytes: [UInt8], _ format: DocumentFormat) throws(DocumentError) -> DocumentFormat {
        let start = bytes.prefix(8192)
        let hasMark = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
        let controls = start.count { $0 < 9 || (14..<27).contains($0) || (28..<32).contains($0) }
        // UTF-16 without a mark has a zero in every second byte of ASCII text.
        let isWide = CharsetDecoder.detect(Array(start))?.hasPrefix("utf-16") == true
        if hasMark || isWide || controls * 20 <= start.count { return format }
        throw DocumentError(
            .unknownFormat, "The file is not text. PDF, EPUB, DOCX, HTML, Markdown and text are read.")
    }

    /// Whether a text begins as web pages do, behind white space, comments and an XML declaration.
    static func isHTML(_ bytes: [UInt8]) -> Bool {
        var rest = bytes.prefix(4096)[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        for _ in 0..<20 {
            rest = rest.drop { $0 <= 0x20 }
            let start = String(decoding: rest.prefix(16), as: UTF8.self).lowercased()
            if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || start.hasPrefix("<head")
                || start.hasPrefix("<body")
            {
                return true
            }
            let end: [UInt8]
            if start.hasPrefix("<!--") {
                end = Array("-->".utf8)
            } else if start.hasPrefix("<?xml") {
                end = Array("?>".utf8)
            } else {
                return false
            }
            guard let place = find(end, rest) else { return false }
            rest = rest[place...].dropFirst(end.count)
        }
        return false
    }

    private static func contains(_ text: String, _ bytes: ArraySlice<UInt8>) -> Bool {
        contains(Array(text.utf8), bytes)
    }

    private static func contains(_ text: [UInt8], _ bytes: ArraySlice<UInt8>) -> Bool { find(text, bytes) != nil }

    private static func find(_ text: [UInt8], _ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = text.first, bytes.count >= text.count else { return nil }
        return bytes.indices.dropLast(text.count - 1).first {
            bytes[$0] == first && bytes[$0..<($0 + text.count)].elementsEqual(text)
        }
    }
}
