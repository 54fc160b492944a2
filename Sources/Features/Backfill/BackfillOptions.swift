public import Inference
public import Storage

/// The options of a backfill.
public struct BackfillOptions: Sendable, Hashable {
    /// The embedding model.
    public var model: String
    /// The maximum number of texts in one embedding call: short notes, or passages of long notes. Slow calls get fewer.
    public var batch: Int
    /// The number of concurrent embedding calls.
    public var concurrency: Int
    /// The model's prefixes; nil for the known prefixes of the model.
    public var profile: ModelProfile?
    /// Whether long notes are cut into passages (``Chunker``). Whole notes and passages belong to different spaces.
    public var chunks: Bool
    /// The maximum number of notes to embed; nil for all.
    public var limit: Int?
    /// Selects the notes to embed.
    public var filter = QueueFilter()
    /// The share of embedded notes, 0 to 1, at which a new space becomes active.
    public var switchShare = 1.0
    /// How long to wait while Ollama is unreachable or busy; nil for no limit.
    public var outageTimeout: Duration? = .seconds(600)
    /// How long a lease on notes lasts without renewal.
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

/// The progress of a backfill.
public struct BackfillProgress: Sendable, Hashable {
    /// Notes with vectors in the space, including notes of earlier runs and other processes.
    public var done: Int
    /// The number of all notes.
    public var total: Int
    /// Notes that failed.
    public var failed: Int
    /// Why the backfill waits; nil while it works.
    public var pause: String?
}

/// A note that could not be embedded, with the reason.
public struct BackfillFailure: Sendable, Hashable {
    /// The note's id.
    public var noteID: Int64
    /// Ollama's error message, with the passage's number if the note has several.
    public var reason: String
}

/// The result of a backfill.
public struct BackfillSummary: Sendable {
    /// The space that was filled.
    public var space: StoredSpace
    /// Notes embedded by this run.
    public var embedded: Int
    /// Notes whose vectors were copied from another space of the same model.
    public var copied: Int
    /// Private notes that were not sent to a provider on another machine.
    public var withheld: Int
    /// Notes that failed in this run or an earlier one, at most 1,000.
    public var failures: [BackfillFailure]
    /// Notes that still wait: excluded by a limit or a filter, or leased by another process.
    public var waiting: Int
    /// Notes with vectors in the space.
    public var total: Int
    /// Whether the space is active.
    public var isActive: Bool
    /// Whether the space is complete but inactive, because a person switched away from it.
    public var wasLeft: Bool
    /// The duration of the run.
    public var elapsed: Duration
}
