/// One entry of `My Clippings.txt`.
struct KindleClipping {
    /// What an entry is.
    enum Kind {
        case highlight, note, bookmark
        /// A kind whose word is not known. Its line stays in the text.
        case other
    }

    /// The line with the book, as it is written.
    var bookLine: String
    var metadata: KindleMetadata
    var text: String
    /// The number of the entry's first line, from 1.
    var line: Int
    /// Whether the file ended within the entry.
    var isCut: Bool

    /// The book's title.
    var book: String { author == nil ? bookLine : bookLine.dropLast(authorLength).trimming(\.isWhitespace) }

    /// What stands in the last parentheses of the book's line.
    var author: String? {
        authorLength == 0 ? nil : bookLine.suffix(authorLength).dropFirst().dropLast().trimming(\.isWhitespace)
    }

    /// The characters of the last parentheses; 0 when they are the whole line or there are none.
    private var authorLength: Int {
        guard bookLine.last == ")" else { return 0 }
        var (depth, length) = (0, 0)
        for sign in bookLine.reversed() {
            length += 1
            if sign == ")" { depth += 1 } else if sign == "(" { depth -= 1 }
            if depth == 0 { return length < bookLine.count && length > 2 ? length : 0 }
        }
        return 0
    }
}
