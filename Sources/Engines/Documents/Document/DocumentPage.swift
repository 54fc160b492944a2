package struct DocumentPage: Sendable, Hashable, Codable {
    /// The physical number, from 1.
    package var number: Int
    /// The printed number or name, when it is known.
    package var label: String?
    /// In UTF-8 bytes of the document's text; empty for a page without text.
    package var range: Range<Int>
    /// The size in points, of formats with a fixed layout.
    package var width: Double?
    package var height: Double?

    package init(number: Int, label: String? = nil, range: Range<Int>, width: Double? = nil, height: Double? = nil) {
        self.number = number
        self.label = label
        self.range = range
        self.width = width
        self.height = height
    }
}

/// A heading of the text, or an entry of the file's outline.
package struct DocumentHeading: Sendable, Hashable, Codable {
    /// 1 to 6; 1 is the highest.
    package var level: Int
    package var title: String
    /// The bytes of the heading in the text. Empty when the outline's title is not in the text: then only the place counts.
    package var range: Range<Int>

    package init(level: Int, title: String, range: Range<Int>) {
        self.level = level
        self.title = title
        self.range = range
    }
}

/// A paragraph or another block of text.
package struct DocumentBlock: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        case paragraph, heading, listItem = "list_item", quote, code, table, caption, footnote
        /// The repeated line at the top or bottom of a page. It is part of the text, but no passage.
        case runningHead = "running_head"
    }

    package var kind: Kind
    package var range: Range<Int>

    package init(kind: Kind, range: Range<Int>) {
        self.kind = kind
        self.range = range
    }
}

/// A line of a page with a fixed layout.
package struct DocumentLine: Sendable, Hashable, Codable {
    package var range: Range<Int>
    /// The place on its page in points, from the page's top left corner.
    package var box: DocumentBox

    package init(range: Range<Int>, box: DocumentBox) {
        self.range = range
        self.box = box
    }
}

/// A rectangle on a page in points, from the page's top left corner; y grows downwards.
package struct DocumentBox: Sendable, Hashable, Codable {
    package var x: Float
    package var y: Float
    package var width: Float
    package var height: Float

    package init(x: Float, y: Float, width: Float, height: Float) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}
