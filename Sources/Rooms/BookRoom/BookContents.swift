package import Foundation
package import GatewayAPI

/// A file that becomes a book.
package struct BookDraft: Sendable {
    /// SHA-256 of the file.
    package var hash: Data
    /// The size of the file in bytes.
    package var bytes: Int
    /// The name of the file, or the URL.
    package var source: String
    /// The title until the file is read.
    package var title: String
    /// The format, when it is known before the file is read.
    package var format: String?
    package var contentType: String?
    package var isPrivate: Bool

    package init(
        hash: Data, bytes: Int, source: String, title: String, format: String?, contentType: String?, isPrivate: Bool
    ) {
        self.hash = hash
        self.bytes = bytes
        self.source = source
        self.title = title
        self.format = format
        self.contentType = contentType
        self.isPrivate = isPrivate
    }
}

/// What a file says about itself.
package struct BookDetails: Sendable {
    package var title: String?
    package var authors: [String] = []
    package var language: String?
    package var identifier: String?
    package var format: String
    package var numbering: String
    package var notices: [Book.Notice] = []
    package var cover: [UInt8]?

    package init(format: String, numbering: String) {
        self.format = format
        self.numbering = numbering
    }
}

/// A page with its blocks and lines. Ranges are UTF-8 bytes of the book's text.
package struct BookPageRow: Sendable {
    package var number: Int
    package var label: String?
    package var range: Range<Int>
    package var width: Double?
    package var height: Double?
    /// The blocks that touch the page.
    package var blocks: [BookPage.Block] = []
    package var lines: [BookPage.Line]?

    package init(number: Int, label: String?, range: Range<Int>) {
        self.number = number
        self.label = label
        self.range = range
    }
}

/// A heading with its section.
package struct BookHeadingRow: Sendable {
    package var level: Int
    package var title: String
    package var range: Range<Int>

    package init(level: Int, title: String, range: Range<Int>) {
        self.level = level
        self.title = title
        self.range = range
    }
}

package struct BookPassageRow: Sendable, Hashable {
    /// The lowest number of a passage that is cut at the reading position.
    package static let tails = 1 << 19

    package var number: Int
    package var range: Range<Int>
    package var page: Int
    package var lastPage: Int
    /// The number of its heading, from 0; nil before the first one.
    package var heading: Int?
    /// The text as models read it; nil when it equals the book's text.
    package var view: String?

    package init(number: Int, range: Range<Int>, page: Int, lastPage: Int, heading: Int?, view: String?) {
        self.number = number
        self.range = range
        self.page = page
        self.lastPage = lastPage
        self.heading = heading
        self.view = view
    }

    /// Whether the passage is cut at the reading position.
    package var isTail: Bool { number >= Self.tails }
}

/// Everything that is stored of a file that was read.
package struct BookContents: Sendable {
    package var details: BookDetails
    /// In UTF-8.
    package var text: [UInt8]
    package var pages: [BookPageRow]
    package var headings: [BookHeadingRow]
    package var passages: [BookPassageRow]

    package init(
        details: BookDetails, text: [UInt8], pages: [BookPageRow], headings: [BookHeadingRow],
        passages: [BookPassageRow]
    ) {
        self.details = details
        self.text = text
        self.pages = pages
        self.headings = headings
        self.passages = passages
    }
}
