public import Inference
public import Storage

/// How a backfill goes about its work.
public struct BackfillOptions: Sendable, Hashable {
    /// The embedding model.
    public var model: String
    /// Texts in one embedding call at most: short notes, or passages of long ones. Fewer when calls take long.
    public var batch: Int
    /// Calls at once.
    public var concurrency: Int
    /// The model's prefixes; those that are known for it when nil.
    public var profile: ModelProfile?
    /// Whether long notes are cut into passages (``Chunker``); whole notes make a space of their own.
    public var chunks: Bool
    /// Notes that are embedded at most; all when nil.
    public var limit: Int?
    /// Which notes are embedded.
    public var filter = QueueFilter()
    /// The share of the notes, 0 to 1, at which a new space begins to answer queries.
    public var switchShare = 1.0
    /// How long Ollama may be away or busy in the middle of a run; without limit when nil.
    public var patience: Duration? = .seconds(600)
    /// How long notes belong to a run that no longer says that it lives.
    public var lease = Duration.seconds(60)

    /// Creates options.
    public init(
        model: String, batch: Int = 32, concurrency: Int = 1, profile: ModelProfile? = nil, chunks: Bool = true
    ) {
        self.model = model
        self.batch = max(1, batch)
        self.concurrency = max(1, concurrency)
        self.profile = profile
        self.chunks = chunks
    }
}

/// How far a backfill is.
public struct BackfillProgress: Sendable, Hashable {
    /// Notes that need no vectors of the space any more, those of earlier runs and of other processes counted.
    public var done: Int
    /// Notes that there are.
    public var total: Int
    /// Notes that were given up.
    public var failed: Int
    /// Why nothing goes on right now; nil while it does.
    public var pause: String?
}

/// A note that could not be embedded, and why.
public struct BackfillFailure: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// What Ollama said, and of which passage if the note has more than one.
    public var reason: String
}

/// What a backfill did.
public struct BackfillSummary: Sendable {
    /// The space that was filled.
    public var space: StoredSpace
    /// Notes embedded in this run.
    public var embedded: Int
    /// Notes whose vectors were taken from another space of the same model.
    public var copied: Int
    /// Notes that were given up, 1,000 at most; by this run or an earlier one.
    public var failures: [BackfillFailure]
    /// Notes that still wait: left out by a limit or a filter, or in another process's hands.
    public var waiting: Int
    /// Notes with vectors of the space.
    public var total: Int
    /// Whether queries are answered from this space now.
    public var isActive: Bool
    /// Whether the space is complete, but a person switched away from it.
    public var wasLeft: Bool
    /// How long the run took.
    public var elapsed: Duration
}
