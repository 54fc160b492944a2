/// A document as the gateway reads it: one canonical text, and everything else as ranges into it.
///
/// The text is NFC in UTF-8 with line feeds only. Paragraphs are separated by an empty line. It is made once and never
/// rewritten, so a byte range stays valid for as long as the document is kept. Ranges are in UTF-8 bytes and begin and
/// end at scalar borders.
package struct Document: Sendable, Hashable, Codable {
    /// The file format that it was read from.
    package var format: DocumentFormat
    package var title: String?
    package var authors: [String]
    /// The language as a BCP 47 tag, when the document says it.
    package var language: String?
    /// The identifier that the document gives itself, such as an ISBN or a UUID.
    package var identifier: String?
    /// The day or time of publication in ISO 8601, when the document says it.
    package var published: String?
    package var text: String
    /// In order and without overlap. Together they cover the whole text; a document has at least one.
    package var pages: [DocumentPage]
    /// What the page borders and labels come from.
    package var numbering: PageNumbering
    /// In order of their place.
    package var headings: [DocumentHeading]
    /// Paragraphs and other blocks, in order and without overlap; white space between them is in none.
    package var blocks: [DocumentBlock]
    /// Lines with their boxes on the page, in order of the text; only of formats with a fixed layout.
    package var lines: [DocumentLine]
    /// What the reader must know about this file, such as pages that could not be read.
    package var notices: [DocumentNotice]
    /// The cover as the file stores it: PNG, JPEG or SVG, at most ``maxCoverBytes``.
    package var cover: [UInt8]?
    /// Where the links of a web page lead; nil when nobody asked.
    package var links: DocumentLinks?

    package static let maxCoverBytes = 2 << 20

    package init(
        format: DocumentFormat, title: String? = nil, authors: [String] = [], language: String? = nil,
        identifier: String? = nil, published: String? = nil, text: String, pages: [DocumentPage],
        numbering: PageNumbering,
        headings: [DocumentHeading] = [], blocks: [DocumentBlock] = [], lines: [DocumentLine] = [],
        notices: [DocumentNotice] = [], cover: [UInt8]? = nil, links: DocumentLinks? = nil
    ) {
        self.format = format
        self.title = title
        self.authors = authors
        self.language = language
        self.identifier = identifier
        self.published = published
        self.text = text
        self.pages = pages
        self.numbering = numbering
        self.headings = headings
        self.blocks = blocks
        self.lines = lines
        self.notices = notices
        self.cover = cover
        self.links = links
    }
}

package enum DocumentFormat: String, Sendable, Hashable, Codable, CaseIterable {
    case pdf, epub, docx, html, markdown, text
}

/// What page borders and labels come from.
package enum PageNumbering: String, Sendable, Hashable, Codable {
    /// The file's own labels or page list: PDF page labels, EPUB page lists.
    case labels
    /// Printed numbers in running heads, at one steady distance from the file's page numbers.
    case runningHeads = "running_heads"
    /// The file's pages, without labels.
    case physical
    /// Page breaks as a word processor last laid them out.
    case breaks
    /// One page for each chapter or main heading.
    case headings
    /// Cut by length: no page of the file or of a printed edition.
    case estimated
}
