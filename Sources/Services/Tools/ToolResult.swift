package import GatewayAPI

/// The result of a call.
package struct ToolResult: Sendable, Hashable {
    /// The result as text, for a model. Passages are not repeated here.
    package var text: String
    /// Parts of notes or books that the result consists of; a chat numbers them, so that an answer can cite them.
    package var passages: [ToolPassage] = []
    /// The result as data, for clients and the record of a run; nil when the text is complete.
    package var content: JSONValue?
    /// Notes that are not in the result because the caller may not get them.
    package var withheld: [Int64] = []

    package init(text: String, content: JSONValue? = nil) {
        self.text = text
        self.content = content
    }

    /// Creates a result that consists of passages.
    package init(text: String, passages: [ToolPassage], withheld: [Int64] = []) {
        self.text = text
        self.passages = passages
        self.withheld = withheld
    }
}

/// A part of a note or a book.
package struct ToolPassage: Sendable, Hashable {
    /// The part, with the number 0; a chat numbers it.
    package var part: ChatPassage

    /// How a search of notes ranked the part, for clients that show it; nil for a part that was not searched.
    package var rank: Rank?

    /// The place of a note in a search.
    package struct Rank: Sendable, Hashable {
        /// The score; comparable within one search only.
        package var score: Double
        /// The reasons; nil when they are not known.
        package var why: ChatPassage.Why?
        /// The UTF-8 offset in the text of the first match; nil when none is known.
        package var match: Int?

        package init(score: Double, why: ChatPassage.Why?, match: Int?) {
            self.score = score
            self.why = why
            self.match = match
        }
    }

    /// Creates a part of a note.
    package init(note: Note, range: Range<Int>, text: String, rank: Rank? = nil) {
        part = ChatPassage(
            number: 0, note: note.id, title: note.title, date: String(note.createdAt.prefix(10)), text: text,
            range: range, source: "")
        self.rank = rank
    }

    /// Creates a part of a book.
    ///
    /// - Parameters:
    ///   - page: The physical page on which it begins, from 1.
    ///   - label: The printed number of that page.
    ///   - range: The UTF-8 bytes in the book's text.
    ///   - offsets: Where the bytes of the text lie in the book's; see ``GatewayAPI/ChatPassage/offsets``.
    ///   - score: The score in its search; nil for a part that was not searched.
    package init(
        book: Int64, title: String, page: Int, label: String?, lastPage: Int, range: Range<Int>, text: String,
        offsets: [[Int]]? = nil, score: Double? = nil, why: ChatPassage.Why? = nil
    ) {
        part = ChatPassage(
            number: 0, book: book, page: page, label: label, lastPage: lastPage, title: title, text: text,
            range: range, offsets: offsets, score: score, why: why, source: "")
    }
}
