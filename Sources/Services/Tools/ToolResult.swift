package import GatewayAPI

/// The result of a call.
package struct ToolResult: Sendable, Hashable {
    /// The result as text, for a model. Passages are not repeated here.
    package var text: String
    /// Parts of notes that the result consists of; a chat numbers them, so that an answer can cite them.
    package var passages: [ToolPassage] = []
    /// The result as data, for clients and the record of a run; nil when the text is complete.
    package var content: JSONValue?
    /// Notes that are not in the result because the caller may not get them.
    package var withheld: [Int64] = []

    /// Creates a result.
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

/// A part of a note.
package struct ToolPassage: Sendable, Hashable {
    /// The note's id.
    package var note: Int64
    /// The note's title.
    package var title: String
    /// The note's date, `YYYY-MM-DD`.
    package var date: String
    /// The part's text.
    package var text: String
    /// The UTF-8 bytes in the note's content.
    package var range: Range<Int>

    /// Creates a part.
    package init(note: Note, range: Range<Int>, text: String) {
        self.note = note.id
        title = note.title
        date = String(note.createdAt.prefix(10))
        self.text = text
        self.range = range
    }
}
