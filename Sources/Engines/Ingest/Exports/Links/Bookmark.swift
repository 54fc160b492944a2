/// An address that a person kept.
struct Bookmark {
    /// The tags of a bookmark at most.
    static let mostTags = 100

    let link: String
    let title: String
    /// Seconds since 1970, as they are written.
    let added: String?
    private var tags: [String] = []
    private var descriptions: [String] = []

    init(link: String, title: String, added: String?) {
        (self.link, self.title, self.added) = (link, title, added)
    }

    mutating func add(tags new: [String]) {
        tags = Array(TagWords.distinct(tags + new.compactMap { TagWords.clean($0) }).prefix(Self.mostTags))
    }

    mutating func add(description: String) {
        if !description.isEmpty, descriptions.count < Self.mostTags, !descriptions.contains(description) {
            descriptions.append(description)
        }
    }

    /// The note: the address, and what was written about it.
    func note() -> IngestedNote {
        var note = IngestedNote(
            title: title.isEmpty ? NoteTitle.line(link) : title,
            content: ([link] + descriptions).joined(separator: "\n\n"), tags: tags)
        // Browsers write seconds, some milliseconds or microseconds.
        note.createdAt = JSONItem.number(added).flatMap { JSONItem.date($0) }
        note.externalID = ItemName.of(link, from: .bookmarks)
        return note
    }
}
