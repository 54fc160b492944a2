/// The body of `POST /api/chat/runs`: a question that the gateway answers.
public struct ChatRunRequest: Codable, Sendable, Hashable {
    /// The run's id, chosen by the client: 1 to 64 letters, digits, `-` and `_`. A repeated request attaches.
    public var id: String
    /// The question.
    public var question: String
    /// The session; a new one when absent.
    public var session: String?
    /// The message that the question follows. Absent: the session's latest message; null: a new beginning.
    public var parent: FieldUpdate<Int64>
    /// The kind of conversation; `ask` when absent.
    public var kind: String?
    /// The notes that may be used; all when absent.
    public var scope: ChatScope?
    /// The model, `provider/model` for one that is not Ollama's; the gateway's default when absent.
    public var model: String?
    /// Whether the model may call tools; true when absent.
    public var tools: Bool?
    /// Whether only sentences that their citations support count as the answer.
    public var strict: Bool?
    /// The maximum number of passages of the first search, 1 to 20.
    public var limit: Int?
    /// Whether the model thinks first; its default when absent.
    public var thinks: Bool?
    /// Whether memories are used and found, for this run and for later ones of the session that say nothing of it. Absent:
    /// what the session's last run says, else true. Nothing happens without `SELENE_MEMORIES`.
    public var memories: Bool?

    /// Creates a request.
    public init(id: String, question: String, session: String? = nil) {
        self.id = id
        self.question = question
        self.session = session
        parent = .keep
    }

    private enum CodingKeys: String, CodingKey {
        case id, question, session, parent, kind, scope, model, tools, strict, limit, thinks, memories
    }

    /// Decodes a request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        question = try container.decode(String.self, forKey: .question)
        session = try container.decodeIfPresent(String.self, forKey: .session)
        parent = try container.update(Int64.self, forKey: .parent)
        kind = try container.decodeIfPresent(String.self, forKey: .kind)
        scope = try container.decodeIfPresent(ChatScope.self, forKey: .scope)
        model = try container.decodeIfPresent(String.self, forKey: .model)
        tools = try container.decodeIfPresent(Bool.self, forKey: .tools)
        strict = try container.decodeIfPresent(Bool.self, forKey: .strict)
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
        thinks = try container.decodeIfPresent(Bool.self, forKey: .thinks)
        memories = try container.decodeIfPresent(Bool.self, forKey: .memories)
    }

    /// Encodes a request; `parent` is null for a new beginning.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(question, forKey: .question)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encode(parent, forKey: .parent)
        try container.encodeIfPresent(kind, forKey: .kind)
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encodeIfPresent(tools, forKey: .tools)
        try container.encodeIfPresent(strict, forKey: .strict)
        try container.encodeIfPresent(limit, forKey: .limit)
        try container.encodeIfPresent(thinks, forKey: .thinks)
        try container.encodeIfPresent(memories, forKey: .memories)
    }
}

/// The notes or books that a run may use. Absent fields do not limit.
public struct ChatScope: Codable, Sendable, Hashable {
    /// Only notes in one of these threads, by id or name.
    public var thread: RetrieveRequest.OneOrMore?
    /// Only notes with at least one of these tags.
    public var tag: RetrieveRequest.OneOrMore?
    /// Only notes of these types.
    public var noteType: RetrieveRequest.OneOrMore?
    /// Only notes of this time.
    public var timeScope: RetrieveRequest.TimeScope?
    /// The books of a conversation of the kind `book`, by id.
    public var book: Books?

    /// One id or several.
    public struct Books: Codable, Sendable, Hashable {
        /// The ids.
        public var values: [Int64]

        /// Creates a list.
        public init(_ values: [Int64]) { self.values = values }

        /// Decodes an integer or an array of integers.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(Int64.self) {
                values = [one]
            } else if let several = try? container.decode([Int64].self) {
                values = several
            } else {
                throw DecodingError.typeMismatch(
                    [Int64].self,
                    .init(codingPath: decoder.codingPath, debugDescription: "expected a book's id or a list of ids"))
            }
        }

        /// Encodes a list of one as a plain integer.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if values.count == 1 { try container.encode(values[0]) } else { try container.encode(values) }
        }
    }

    /// Creates a scope.
    public init(
        thread: RetrieveRequest.OneOrMore? = nil, tag: RetrieveRequest.OneOrMore? = nil,
        noteType: RetrieveRequest.OneOrMore? = nil, timeScope: RetrieveRequest.TimeScope? = nil, book: Books? = nil
    ) {
        self.thread = thread
        self.tag = tag
        self.noteType = noteType
        self.timeScope = timeScope
        self.book = book
    }
}
