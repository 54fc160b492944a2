/// An answer in progress or finished, which the gateway keeps.
public struct ChatRun: Codable, Sendable, Hashable {
    /// The id that the client chose.
    public var id: String
    /// The session of question and answer.
    public var session: String
    /// The question.
    public var question: String
    /// The kind of conversation, such as `ask`.
    public var kind: String
    /// The notes that may be used; nil for all.
    public var scope: ChatScope?
    /// The model, `provider/model` for one that is not Ollama's.
    public var model: String
    /// Whether only sentences that their citations support count as the answer.
    public var strict: Bool
    /// The phase or outcome.
    public var state: State
    /// The progress by phase, 0 to 1.
    public var progress: Double
    /// The place in the queue, with `waiting`; 1 is next.
    public var place: Int?
    /// The text so far. Absent in lists.
    public var text: String?
    /// Everything beside the text. Absent in lists.
    public var record: ChatRecord?
    /// Why the run failed.
    public var error: String?
    /// Why the run was stopped: `asked`, `unread` or `length`.
    public var stopReason: String?
    /// How often the run was continued after an interruption.
    public var life: Int
    /// The id of the question's message.
    public var userMessage: Int64?
    /// The id of the answer's message, once stored.
    public var message: Int64?
    /// The creation time in UTC.
    public var createdAt: String
    /// The time of the last change in UTC.
    public var updatedAt: String

    /// The phase or outcome of a run.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        case queued, searching, waiting
        case loadingModel = "loading_model"
        case thinking, answering, tools, done, failed, stopped, interrupted

        /// Whether the run has ended; an interrupted run can be continued.
        public var isFinal: Bool { [.done, .failed, .stopped, .interrupted].contains(self) }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, session, question, kind, scope, model, strict, state, progress, place, text, record, error
        case stopReason = "stop_reason"
        case life
        case userMessage = "user_message"
        case message
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    /// Creates a queued run.
    public init(
        id: String, session: String, question: String, kind: String, scope: ChatScope? = nil, model: String,
        strict: Bool = false, state: State = .queued, createdAt: String
    ) {
        self.id = id
        self.session = session
        self.question = question
        self.kind = kind
        self.scope = scope
        self.model = model
        self.strict = strict
        self.state = state
        progress = 0
        life = 0
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// Everything that a run records beside its text.
public struct ChatRecord: Codable, Sendable, Hashable {
    /// The passages that the question's search and tools found, and those of earlier questions that the answer cites. Their numbers go on
    /// through the conversation.
    public var passages: [ChatPassage] = []
    /// The notes of passages that earlier questions brought, and that the prompt still had.
    public var kept: [Int64] = []
    /// The calls of tools, in order.
    public var tools: [ChatToolUse] = []
    /// The citations with their verdicts, in the order of the text.
    public var citations: [ChatCitation] = []
    /// The sentences with their verdicts, in the order of the text.
    public var sentences: [ChatSentence] = []
    /// What did not fit into the prompt.
    public var leftOut: [ChatLeftOut] = []
    /// The private notes that were not sent to a provider on another machine.
    public var withheld: [Int64] = []
    /// The search before the answer; absent when there was none.
    public var search: ChatSearch?
    /// Tokens; absent when the provider tells none.
    public var usage: ChatTokens?
    /// Durations in milliseconds: `search`, `first_thought`, `first_token`, `total`.
    public var timingsMilliseconds: [String: Double] = [:]
    /// The prompt template.
    public var prompt: ChatPromptVersion?
    /// The memories in the prompt, as they were then.
    public var memories: [ChatMemory] = []
    /// The second opinion on supported sentences; absent when no model was asked.
    public var judgement: ChatJudgement?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case passages, kept, tools, citations, sentences
        case leftOut = "left_out"
        case withheld, search, usage
        case timingsMilliseconds = "timings_ms"
        case prompt, memories, judgement
    }

    /// Creates an empty record.
    public init() {}

    /// Decodes a record; absent members are empty.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func list<Element: Decodable>(_ key: CodingKeys) throws -> [Element] {
            try container.decodeIfPresent([Element].self, forKey: key) ?? []
        }
        passages = try list(.passages)
        kept = try list(.kept)
        tools = try list(.tools)
        citations = try list(.citations)
        sentences = try list(.sentences)
        leftOut = try list(.leftOut)
        withheld = try list(.withheld)
        search = try container.decodeIfPresent(ChatSearch.self, forKey: .search)
        usage = try container.decodeIfPresent(ChatTokens.self, forKey: .usage)
        timingsMilliseconds = try container.decodeIfPresent([String: Double].self, forKey: .timingsMilliseconds) ?? [:]
        prompt = try container.decodeIfPresent(ChatPromptVersion.self, forKey: .prompt)
        memories = try list(.memories)
        judgement = try container.decodeIfPresent(ChatJudgement.self, forKey: .judgement)
    }
}

/// What a second model said of the sentences that the gateway's rules call supported. It takes support away, never gives it.
public struct ChatJudgement: Codable, Sendable, Hashable {
    /// The model that judged.
    public var model: String
    /// The number of sentences that it was asked about.
    public var asked: Int
    /// The number of them that lost their support.
    public var withdrawn: Int
    /// Why the rules alone decided; absent when the model answered.
    public var error: String?

    /// Creates a judgement.
    public init(model: String, asked: Int, withdrawn: Int = 0, error: String? = nil) {
        self.model = model
        self.asked = asked
        self.withdrawn = withdrawn
        self.error = error
    }
}

/// A memory in a prompt.
public struct ChatMemory: Codable, Sendable, Hashable {
    /// The memory's id.
    public var id: Int64
    /// Its text.
    public var content: String

    /// Creates a memory.
    public init(id: Int64, content: String) {
        self.id = id
        self.content = content
    }
}

/// The name and version of a prompt template.
public struct ChatPromptVersion: Codable, Sendable, Hashable {
    /// The template's name.
    public var name: String
    /// The first 12 hexadecimal digits of the SHA-256 of the template.
    public var version: String

    /// Creates a version.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}

/// The search before an answer.
public struct ChatSearch: Codable, Sendable, Hashable {
    /// The text that was searched.
    public var query: String
    /// Whether the query differs from the question, because the question depends on the conversation.
    public var rewritten: Bool
    /// `hybrid`, `vector`, `keyword` or `keyword_fallback`.
    public var source: String
    /// Why vectors were not used, with `keyword_fallback`.
    public var fallbackReason: String?
    /// What the reranker did; absent when it was not asked.
    public var rerank: RerankReport?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case query, rewritten, source, rerank
        case fallbackReason = "fallback_reason"
    }

    /// Creates a search.
    public init(
        query: String, rewritten: Bool, source: String, fallbackReason: String? = nil, rerank: RerankReport? = nil
    ) {
        self.rerank = rerank
        self.query = query
        self.rewritten = rewritten
        self.source = source
        self.fallbackReason = fallbackReason
    }
}

/// The tokens of a run, over all its requests to the model.
public struct ChatTokens: Codable, Sendable, Hashable {
    /// Tokens of the prompts.
    public var promptTokens: Int
    /// Tokens of the answers.
    public var completionTokens: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case promptTokens = "prompt_tokens"
        case completionTokens = "completion_tokens"
    }

    /// Creates a count.
    public init(promptTokens: Int, completionTokens: Int) {
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
    }
}

/// A part that is not in the prompt, because it did not fit or was withheld.
public struct ChatLeftOut: Codable, Sendable, Hashable {
    /// `history`, `compressed` for messages that the summary tells of, `summary`, `passage` or `memory`.
    public var part: String
    /// The number of messages, passages or memories.
    public var count: Int
    /// The note of a passage.
    public var note: Int64?

    /// Creates a part.
    public init(part: String, count: Int, note: Int64? = nil) {
        self.part = part
        self.count = count
        self.note = note
    }
}

/// The reply of `GET /api/chat/runs`: the latest runs first, without text and record.
public struct ChatRunsResponse: Codable, Sendable, Hashable {
    /// The runs.
    public var runs: [ChatRun]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case runs
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(runs: [ChatRun], nextCursor: String? = nil) {
        self.runs = runs
        self.nextCursor = nextCursor
    }
}
