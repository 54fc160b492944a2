/// A note as it was read, before anything is stored.
public struct IngestedNote: Sendable, Hashable {
    /// One line; may be empty.
    public var title: String
    /// The text.
    public var content: String
    /// When it was written, as its source says; nil when it does not say.
    public var createdAt: String?
    /// What kind of note it is.
    public var noteType: String?
    /// Whether something is to be done about it.
    public var actionability: String?
    /// Names of threads.
    public var threads: [String]
    /// The author's tags.
    public var tags: [String]
    /// The note's name where it comes from; reading it again means the same note.
    public var externalID: String?

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

/// One thing that could not be read; the rest is read all the same.
public struct IngestProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file, or the file and the line.
    public var location: String
    /// What is wrong with it.
    public var reason: String
    /// Whether there is simply nothing in it, which is no fault.
    public var isEmpty = false

    /// Creates a problem.
    public init(location: String, reason: String, isEmpty: Bool = false) {
        self.location = location
        self.reason = reason
        self.isEmpty = isEmpty
    }

    /// Location and reason.
    public var description: String { "\(location): \(reason)" }
}

/// Why a source cannot be read at all.
public struct IngestError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people.
    public var message: String

    /// The message.
    public var description: String { message }
}

/// The layouts in which notes come.
public enum IngestFormat: String, Sendable, Hashable, CaseIterable {
    /// A folder of Markdown files with optional YAML front matter, or one such file.
    case markdown
    /// A file with one JSON object a line.
    case jsonl
    /// A BEIR folder with `corpus.jsonl`, or that file.
    case beir
}
