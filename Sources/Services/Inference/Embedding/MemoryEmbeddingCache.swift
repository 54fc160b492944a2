import Synchronization

/// A cache in memory with a limit in bytes; evicts the least recently used vectors first.
package final class MemoryEmbeddingCache: EmbeddingCache {
    /// Bytes of a cached vector beside its numbers: key, links and the dictionary's share, rounded up.
    static let overhead = 160

    private struct State {
        var vectors: LeastRecentlyUsed<EmbeddingKey, [Float]>
        var hits = 0
        var misses = 0
    }
    private let state: Mutex<State>

    /// Creates a cache.
    ///
    /// - Parameter maxBytes: The maximum size in bytes; 64 MiB hold 20,000 vectors of 768 numbers.
    package init(maxBytes: Int = 64 << 20) {
        state = Mutex(State(vectors: LeastRecentlyUsed(capacity: maxBytes)))
    }

    /// Returns the cached vectors without waiting.
    package func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]] { take(keys) }

    /// Returns the cached vectors and counts hits and misses; the synchronous form of ``vectors(for:)``.
    func take(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] {
        state.withLock { state in
            var found: [EmbeddingKey: [Float]] = [:]
            for key in keys {
                if let vector = state.vectors.value(for: key) {
                    found[key] = vector
                    state.hits += 1
                } else {
                    state.misses += 1
                }
            }
            return found
        }
    }

    /// Returns the cached vectors without counting hits or misses.
    package func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] {
        state.withLock { state in
            var found: [EmbeddingKey: [Float]] = [:]
            for key in keys { found[key] = state.vectors.peek(key) }
            return found
        }
    }

    package func store(_ vectors: [EmbeddingKey: [Float]]) {
        state.withLock { state in
            for (key, vector) in vectors {
                state.vectors.insert(vector, for: key, cost: vector.count * 4 + Self.overhead)
            }
        }
    }

    /// Does nothing: memory needs no flush.
    package func flush() async {}

    /// Counts since the cache was created.
    package var statistics: EmbeddingCacheStatistics {
        state.withLock { state in
            var statistics = EmbeddingCacheStatistics()
            statistics.hits = state.hits
            statistics.misses = state.misses
            statistics.entries = state.vectors.count
            statistics.bytes = state.vectors.cost
            statistics.evictions = state.vectors.evictions
            return statistics
        }
    }
}
