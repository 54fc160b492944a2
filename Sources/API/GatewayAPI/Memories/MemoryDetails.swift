/// What the gateway knows of a memory beside its row.
public struct MemoryDetails: Codable, Sendable, Hashable {
    /// Whether a memory counts.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// It holds, and chats may get it.
        case active
        /// A model proposed it; nothing uses it before a person confirms it.
        case proposed
        /// It holds no longer.
        case superseded
    }

    /// Where a memory comes from.
    public enum Origin: String, Codable, Sendable, Hashable, CaseIterable {
        /// Rules found it in what the person wrote.
        case rules
        /// A model found it there.
        case model
        /// A person or another program wrote it.
        case other
    }

    /// Whether it counts.
    public var state: State
    /// Where it comes from.
    public var origin: Origin
    /// What it is about, such as `place`, `family` or `preference`; absent when that could not be read.
    public var kind: String?
    /// Its subject, such as `home`; see ``kind``.
    public var key: String?
    /// Whether chats always get it.
    public var isPinned: Bool
    /// Why it holds no longer.
    public var reason: String?
    /// The memory that took its place.
    public var supersededBy: Int64?
    /// What the person wrote; absent for other origins.
    public var source: MemorySource?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case state, origin, kind, key, reason, source
        case isPinned = "is_pinned"
        case supersededBy = "superseded_by"
    }

    /// Creates details.
    public init(state: State = .active, origin: Origin = .other, isPinned: Bool = false) {
        self.state = state
        self.origin = origin
        self.isPinned = isPinned
    }
}

/// The sentence that a memory was found in.
public struct MemorySource: Codable, Sendable, Hashable {
    /// The run that answered the message.
    public var run: String
    /// The session.
    public var session: String
    /// The message's id.
    public var message: Int64?
    /// The sentence.
    public var text: String
    /// The sentence's first UTF-8 byte in the message.
    public var start: Int
    /// The byte behind it.
    public var end: Int

    /// Creates a source.
    public init(run: String, session: String, message: Int64?, text: String, start: Int, end: Int) {
        self.run = run
        self.session = session
        self.message = message
        self.text = text
        self.start = start
        self.end = end
    }
}

/// The reply of `GET /api/memories/:id/why`.
public struct MemoryHistory: Codable, Sendable, Hashable {
    /// The memory.
    public var memory: Memory
    /// The message that it was found in; absent when there is none, or when it was deleted.
    public var message: Message?
    /// What happened to it, latest first.
    public var changes: [MemoryChange]

    /// Creates a history.
    public init(memory: Memory, message: Message?, changes: [MemoryChange]) {
        self.memory = memory
        self.message = message
        self.changes = changes
    }
}

/// A change of a memory.
public struct MemoryChange: Codable, Sendable, Hashable {
    /// What was done.
    public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
        /// It was found.
        case add
        /// It got a text that says more of the same.
        case update
        /// It was replaced, or holds no longer.
        case supersede
        /// A person confirmed it.
        case confirm
        /// A person edited it.
        case edit
        /// A person made the gateway forget it.
        case forget
    }

    /// What was done.
    public var action: Action
    /// The text before the change; absent for ``Action/add``.
    public var content: String?
    /// Why, in a few words.
    public var reason: String?
    /// When, ISO 8601 in UTC.
    public var at: String

    /// Creates a change.
    public init(action: Action, content: String?, reason: String?, at: String) {
        self.action = action
        self.content = content
        self.reason = reason
        self.at = at
    }
}

/// The reply of `POST /api/memories/:id/undo`.
public struct MemoryUndone: Codable, Sendable, Hashable {
    /// The change that was undone.
    public var undone: MemoryChange.Action
    /// The memory; absent when undoing removed it.
    public var memory: Memory?

    /// Creates a reply.
    public init(undone: MemoryChange.Action, memory: Memory?) {
        self.undone = undone
        self.memory = memory
    }
}

/// The body of `POST /api/jobs/memories`, which has no fields.
public struct MemoriesJobRequest: Codable, Sendable, Hashable {
    /// Creates a request.
    public init() {}
}
