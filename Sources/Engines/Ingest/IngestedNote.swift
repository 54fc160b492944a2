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
}

/// One item that could not be read. Reading continues with the next item.
package struct IngestProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, or the file and the line.
    package var location: String
    /// What is wrong with it.
    package var reason: String
    /// Whether the item is only empty, which is not an error.
    package var isEmpty = false

    package init(location: String, reason: String, isEmpty: Bool = false) {
        self.location = location
        self.reason = reason
        self.isEmpty = isEmpty
    }

    /// Location and reason.
    package var description: String { "\(location): \(reason)" }
}

/// The reason why a source cannot be read at all.
package struct IngestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people.
    package var message: String

    /// The message.
    package var description: String { message }
}

/// The formats of note sources.
package enum IngestFormat: String, Sendable, Hashable, CaseIterable {
    /// A folder of Markdown files with optional YAML front matter, or one such file.
    case markdown
    /// A file with one JSON object in each line.
    case jsonl
    /// A BEIR folder with `corpus.jsonl`, or that file alone.
    case beir
}
