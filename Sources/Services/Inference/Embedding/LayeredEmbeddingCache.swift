/// Memory first, then the disk; what the disk has comes into memory.
public final class LayeredEmbeddingCache: EmbeddingCache {
    /// The first layer.
    public let memory: MemoryEmbeddingCache
    /// The second layer.
    public let disk: DiskEmbeddingCache

    /// Creates a cache of two layers.
    public init(memory: MemoryEmbeddingCache, disk: DiskEmbeddingCache) {
        self.memory = memory
        self.disk = disk
    }

    /// The vectors that either layer has.
    public func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]] {
        var found = memory.take(keys)
        let rest = keys.filter { found[$0] == nil }
        guard !rest.isEmpty else { return found }
        let deeper = await disk.vectors(for: rest)
        guard !deeper.isEmpty else { return found }
        memory.store(deeper)
        found.merge(deeper) { first, _ in first }
        return found
    }

    /// What memory has.
    public func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] { memory.peek(keys) }

    /// Keeps vectors in both layers.
    public func store(_ vectors: [EmbeddingKey: [Float]]) {
        memory.store(vectors)
        disk.store(vectors)
    }

    /// Waits for the disk.
    public func flush() async { await disk.flush() }

    /// Both layers as one: a hit in either is a hit; entries, bytes and evictions are the disk's.
    public var statistics: EmbeddingCacheStatistics {
        var statistics = disk.statistics
        let first = memory.statistics
        statistics.hits += first.hits
        if statistics.isOff {
            statistics.misses = first.misses
            statistics.entries = first.entries
            statistics.bytes = first.bytes
        }
        return statistics
    }
}
