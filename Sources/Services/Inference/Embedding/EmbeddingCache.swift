/// Cached embeddings. Read errors count as misses; no method throws.
///
/// May be used from any task.
package protocol EmbeddingCache: Sendable {
    func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]]
    /// Returns the cached vectors that are available without waiting; counts neither hits nor misses.
    func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]]
    /// Caches vectors without waiting for I/O.
    func store(_ vectors: [EmbeddingKey: [Float]])
    /// Waits until all stored vectors are persistent.
    func flush() async
    /// Counts since the cache was created.
    var statistics: EmbeddingCacheStatistics { get }
}

/// Counts and size of a cache since its creation.
package struct EmbeddingCacheStatistics: Sendable, Hashable {
    /// Requested keys that were cached.
    package var hits = 0
    /// Requested keys that were not cached.
    package var misses = 0
    /// Cached vectors.
    package var entries = 0
    /// Bytes of the cached vectors.
    package var bytes = 0
    /// Evicted vectors.
    package var evictions = 0
    /// Vectors that were dropped because too many were unwritten.
    package var dropped = 0
    /// Whether the cache was switched off after a failure.
    package var isOff = false

    /// Creates statistics with all counts 0.
    package init() {}
}
