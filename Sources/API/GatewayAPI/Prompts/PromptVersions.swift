/// A version of a prompt.
public struct PromptVersion: Codable, Sendable, Hashable {
    /// The number: 0 for the one that comes with the gateway.
    public var number: Int
    /// The first 12 hexadecimal digits of the SHA-256 of the text form.
    public var version: String
    /// The title of this version.
    public var title: String
    /// The size of the text form in bytes.
    public var bytes: Int
    /// When it was stored, in UTC; absent for number 0.
    public var createdAt: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case number, version, title, bytes
        case createdAt = "created_at"
    }

    /// Creates a version.
    public init(number: Int, version: String, title: String, bytes: Int, createdAt: String?) {
        self.number = number
        self.version = version
        self.title = title
        self.bytes = bytes
        self.createdAt = createdAt
    }
}

/// The reply of `GET /api/prompts/:id/versions`, latest first.
public struct PromptVersionsResponse: Codable, Sendable, Hashable {
    /// The prompt's id.
    public var id: String
    /// The versions; the oldest stored ones are dropped when there are too many.
    public var versions: [PromptVersion]

    /// Creates a reply.
    public init(id: String, versions: [PromptVersion]) {
        self.id = id
        self.versions = versions
    }
}

/// The reply of `GET /api/prompts/:id/diff`: the text forms of two versions, line by line.
public struct PromptDiff: Codable, Sendable, Hashable {
    /// The prompt's id.
    public var id: String
    /// The older side.
    public var from: PromptVersion
    /// The newer side.
    public var to: PromptVersion
    /// All lines of both sides, in order.
    public var lines: [Line]

    /// A line.
    public struct Line: Codable, Sendable, Hashable {
        /// Which sides have it.
        public var change: Change
        /// The text without its line end.
        public var text: String

        /// Which sides have a line.
        public enum Change: String, Codable, Sendable, Hashable, CaseIterable {
            case same, added, removed
        }

        /// Creates a line.
        public init(_ change: Change, _ text: String) {
            self.change = change
            self.text = text
        }
    }

    /// Creates a difference.
    public init(id: String, from: PromptVersion, to: PromptVersion, lines: [Line]) {
        self.id = id
        self.from = from
        self.to = to
        self.lines = lines
    }
}

/// The body of `POST /api/prompts/:id/render`.
public struct PromptRenderRequest: Codable, Sendable, Hashable {
    /// Values by the names of the variables; the defaults stand for absent ones.
    public var values: [String: String]?

    /// Creates a request.
    public init(values: [String: String]? = nil) { self.values = values }
}

/// The reply of `POST /api/prompts/:id/render`: what to send to `POST /api/chat/runs`.
public struct RenderedPrompt: Codable, Sendable, Hashable {
    /// The prompt's id.
    public var id: String
    /// The version that was rendered.
    public var version: String
    /// The question.
    public var text: String
    /// The kind of conversation.
    public var chat: String
    /// The notes that the variables `days`, `tag` and `thread` leave; absent for all.
    public var scope: ChatScope?

    /// Creates a rendered prompt.
    public init(id: String, version: String, text: String, chat: String, scope: ChatScope?) {
        self.id = id
        self.version = version
        self.text = text
        self.chat = chat
        self.scope = scope
    }
}
