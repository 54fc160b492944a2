/// A note as read from its source, before it is stored.
package struct IngestedNote: Sendable, Hashable {
    /// One line; may be empty.
    package var title: String
    /// The text.
    package var content: String
    /// The creation time that the source gives; nil when it gives none.
    package var createdAt: String?
    /// The kind of note.
    package var noteType: String?
    /// Whether the note asks for an action.
    package var actionability: String?
    /// The names of the note's threads.
    package var threads: [String]
    /// The author's tags.
    package var tags: [String]
    /// The note's identity in its source: reading the same id again updates the same note.
    ///
    /// It names the place of the source, so that two folders or two files never share an identity.
    package var externalID: String?
    /// The names that earlier versions gave the note. They did not name the place of the source.
    package var formerIDs: [String] = []
    /// Where the note was read: the file, or the file and the line.
    package var location = ""
    /// The source's modification time in seconds since 1970.
    package var modifiedAt: Int64?
    /// Whether ``createdAt`` is the modification time of the source, which says no date.
    package var isDateGuessed = false
    /// The note of which the file is an export, as the file says. Any file can say so.
    package var exportOf: Int64?
    /// Fields of the source that have no place in a note.
    package var unreadFields: [String] = []
    /// What was not read as it was written. The note has all of its text.
    package var warnings: [String] = []

    init(
        title: String, content: String, createdAt: String? = nil, noteType: String? = nil,
        actionability: String? = nil, threads: [String] = [], tags: [String] = [], externalID: String? = nil
    ) {
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.threads = threads
        self.tags = tags
        self.externalID = externalID
    }

    /// The note without U+0000, which JSON has as an escape. A warning says how many there were.
    func withoutNUL() -> IngestedNote {
        var (note, count) = (self, 0)
        func clean(_ text: String) -> String {
            let clean = FileText.withoutNUL(text)
            count += clean.count
            return clean.text
        }
        (note.title, note.content) = (clean(title), clean(content))
        (note.noteType, note.actionability) = (noteType.map(clean), actionability.map(clean))
        (note.tags, note.threads) = (tags.map(clean), threads.map(clean))
        (note.externalID, note.formerIDs) = (externalID.map(clean), formerIDs.map(clean))
        if count > 0 { note.warnings.append(FileText.nulWarning(count)) }
        return note
    }
}
