package import Inference
package import Storage

package struct BackfillOptions: Sendable, Hashable {
    /// The embedding model.
    package var model: String
    /// The maximum number of texts in one embedding call: short notes, or passages of long notes. Slow calls get fewer.
    package var batch: Int
    /// The number of concurrent embedding calls.
    package var concurrency: Int
    /// The model's prefixes; nil for the known prefixes of the model.
    package var profile: ModelProfile?
    /// Whether long notes are cut into passages (``Chunker``). Whole notes and passages belong to different spaces.
    package var chunks: Bool
    /// The maximum number of notes to embed; nil for all.
    package var limit: Int?
    /// Selects the notes to embed.
    package var filter = QueueFilter()
    /// The share of embedded notes, 0 to 1, at which a new space becomes active.
    package var switchShare = 1.0
    /// How long to wait while Ollama is unreachable or busy; nil for no limit.
    package var outageTimeout: Duration? = .seconds(600)
    /// How long to wait for Ollama before the first note; nil for a few seconds.
    package var firstTimeout: Duration?
    /// How long a lease on notes lasts without renewal.
    package var lease = Duration.seconds(60)

    package init(
        model: String, batch: Int = 32, concurrency: Int = 1, profile: ModelProfile? = nil, chunks: Bool = true
    ) {
        self.model = model
        self.batch = max(1, batch)
        self.concurrency = max(1, concurrency)
        self.profile = profile
        self.chunks = chunks
    }
}

package struct BackfillProgress: Sendable, Hashable {
    /// Notes with vectors in the space, including notes of earlier runs and other processes.
    package var done: Int
    /// The number of all notes.
    package var total: Int
    /// Notes that failed.
    package var failed: Int
    /// Why the backfill waits; nil while it works.
    package var pause: String?
}

/// A note that could not be embedded, with the reason.
package struct BackfillFailure: Sendable, Hashable {
    package var noteID: Int64
    /// Ollama's error message, with the passage's number if the note has several.
    package var reason: String
}

/// The result of a backfill.
package struct BackfillSummary: Sendable {
    /// The space that was filled.
    package var space: StoredSpace
    /// Notes embedded by this run.
    package var embedded: Int
    /// Notes whose vectors were copied from another space of the same model.
    package var copied: Int
    /// Private notes that were not sent to a provider on another machine.
    package var withheld: Int
    /// Notes that failed in this run or an earlier one, at most 1,000.
    package var failures: [BackfillFailure]
    /// Notes that still wait: excluded by a limit or a filter, or leased by another process.
    package var waiting: Int
    /// Notes with vectors in the space.
    package var total: Int
    /// Whether the space is active.
    package var isActive: Bool
    /// Whether the space is complete but inactive, because a person switched away from it.
    package var wasLeft: Bool
    /// The duration of the run.
    package var elapsed: Duration
}
