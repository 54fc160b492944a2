/// A cache in memory in front of a cache on disk; vectors read from disk are also cached in memory.
package final class LayeredEmbeddingCache: EmbeddingCache {
    /// The cache in memory, which is read first.
    package let memory: MemoryEmbeddingCache
    package let disk: DiskEmbeddingCache

    package init(memory: MemoryEmbeddingCache, disk: DiskEmbeddingCache) {
        self.memory = memory
        self.disk = disk
    }

    /// Returns the vectors that either layer has cached.
    package func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]] {
        var found = memory.take(keys)
        let rest = keys.filter { found[$0] == nil }
        guard !rest.isEmpty else { return found }
        let deeper = await disk.vectors(for: rest)
        guard !deeper.isEmpty else { return found }
        memory.store(deeper)
        found.merge(deeper) { first, _ in first }
        return found
    }

    /// Returns the vectors that are cached in memory.
    package func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] { memory.peek(keys) }

    /// Caches vectors in both layers.
    package func store(_ vectors: [EmbeddingKey: [Float]]) {
        memory.store(vectors)
        disk.store(vectors)
    }

    /// Waits until the disk layer has written all vectors.
    package func flush() async { await disk.flush() }

    /// Combined statistics: a hit in either layer counts as one; entries, bytes and evictions are those of the disk.
    package var statistics: EmbeddingCacheStatistics {
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
