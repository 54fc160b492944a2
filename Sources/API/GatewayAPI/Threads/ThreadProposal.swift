/// A change of threads that a person may accept or decline.
public struct ThreadProposal: Codable, Sendable, Hashable {
    /// The proposal's id.
    public var id: Int64
    /// What is proposed.
    public var kind: Kind
    /// Whether a person has decided.
    public var state: State
    /// The existing thread of the kinds `join` and `split`; absent when it is gone.
    public var thread: Note.ThreadReference?
    /// A name for a new thread, by a model or of words that are frequent in its notes and rare in others; otherwise the
    /// thread's name.
    public var name: String
    /// What the notes say, or their days and the most typical ones.
    public var summary: String
    /// What a model phrased; absent when none was asked.
    public var phrasing: ThreadPhrasing?
    /// Why it is proposed.
    public var why: String
    /// The notes: one part, or for a split one for each thread that it becomes. The first of a split stays in the thread.
    public var parts: [Part]
    /// The threads that accepting it made.
    public var madeThreads: [Int64]?
    /// When it was made, ISO 8601 in UTC.
    public var createdAt: String
    /// When it last changed, ISO 8601 in UTC.
    public var updatedAt: String

    /// What is proposed.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A new thread of notes that are in none.
        case new
        /// Notes that are in no thread join an existing one.
        case join
        /// A thread has grown apart; its parts become threads.
        case split
    }

    /// Whether a person has decided.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// Nobody has decided.
        case open
        /// It was carried out.
        case accepted
        /// It is not proposed again.
        case declined
    }

    /// A part of a proposal.
    public struct Part: Codable, Sendable, Hashable {
        /// The name of the thread that the part becomes.
        public var name: String
        /// The number of notes.
        public var count: Int
        /// The most typical notes, at most 20.
        public var notes: [BriefingNote]

        /// Creates a part.
        public init(name: String, count: Int, notes: [BriefingNote]) {
            self.name = name
            self.count = count
            self.notes = notes
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, state, thread, name, summary, phrasing, why, parts
        case madeThreads = "made_threads"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    /// Creates a proposal.
    public init(
        id: Int64, kind: Kind, state: State, thread: Note.ThreadReference? = nil, name: String, summary: String,
        phrasing: ThreadPhrasing? = nil, why: String, parts: [Part], madeThreads: [Int64]? = nil, createdAt: String,
        updatedAt: String
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.thread = thread
        self.name = name
        self.summary = summary
        self.phrasing = phrasing
        self.why = why
        self.parts = parts
        self.madeThreads = madeThreads
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// The reply of `GET /api/threads/proposals`, newest first.
public struct ThreadProposalList: Codable, Sendable, Hashable {
    /// The number of proposals in this reply.
    public var count: Int
    /// The proposals.
    public var proposals: [ThreadProposal]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, proposals
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(proposals: [ThreadProposal], nextCursor: String? = nil) {
        self.proposals = proposals
        count = proposals.count
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/threads/proposals/:id/accept`; the body and every field may be absent.
public struct ThreadAcceptance: Codable, Sendable, Hashable {
    /// Another name for the new thread of a proposal of the kind `new`.
    public var name: String?

    /// Creates a body.
    public init(name: String? = nil) { self.name = name }
}

/// The body of `POST /api/jobs/threads`; the body and every field may be absent.
public struct ThreadsJobRequest: Codable, Sendable, Hashable {
    /// Whether all notes are compared and grouped anew, not only those that changed; false when absent.
    public var again: Bool?
    /// Whether the job does nothing when the workflow ran today; false when absent.
    public var daily: Bool?

    /// Creates a request.
    public init(again: Bool? = nil, daily: Bool? = nil) { (self.again, self.daily) = (again, daily) }
}
