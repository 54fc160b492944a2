/// Vectors that were had before. It never fails: what is not to be had is a miss.
///
/// May be used from any task.
public protocol EmbeddingCache: Sendable {
    /// The vectors that are there.
    func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]]
    /// Those of the vectors that can be had without waiting; counts neither hits nor misses.
    func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]]
    /// Keeps vectors; returns at once.
    func store(_ vectors: [EmbeddingKey: [Float]])
    /// Waits until all that was stored is where it stays.
    func flush() async
    /// What happened so far.
    var statistics: EmbeddingCacheStatistics { get }
}

/// What a cache did since it was made.
public struct EmbeddingCacheStatistics: Sendable, Hashable {
    /// Keys that were asked for and there.
    public var hits = 0
    /// Keys that were asked for and not there.
    public var misses = 0
    /// Vectors that it holds.
    public var entries = 0
    /// Bytes that it holds.
    public var bytes = 0
    /// Vectors that made room for others.
    public var evictions = 0
    /// Vectors that were not kept because too many waited to be written.
    public var dropped = 0
    /// Whether it was switched off after a failure.
    public var isOff = false

    /// Creates statistics of nothing.
    public init() {}
}
