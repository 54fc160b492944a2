/// A place of a book that its reader marked, and what the reader wrote there.
struct BookHighlight {
    /// The book's title.
    var book: String
    var author: String?
    /// The place for people, such as `page 12`.
    var place: String?
    /// What was marked. Empty for a note without a highlight.
    var quote = ""
    /// What the reader wrote.
    var notes: [String] = []
    /// More about the place, behind the author and the book.
    var details: [String] = []

    /// The note: the quotation, the reader's notes below it, and where it is from. Its thread is the book.
    func note() -> IngestedNote {
        var parts: [String] = []
        if !quote.isEmpty {
            let lines = quote.split(separator: "\n", omittingEmptySubsequences: false)
            parts.append(lines.map { $0.isEmpty ? ">" : "> \($0)" }.joined(separator: "\n"))
        }
        parts += notes
        let source = ([author, book, place].compactMap(\.self) + details).filter { !$0.isEmpty }
        if !source.isEmpty { parts.append("— " + source.joined(separator: ", ")) }
        return IngestedNote(
            title: NoteTitle.line([book, place].compactMap(\.self).joined(separator: ", ")),
            content: parts.joined(separator: "\n\n"), threads: book.isEmpty ? [] : [NoteTitle.line(book)])
    }
}
