import Synchronization

/// Vectors in memory, up to a number of bytes; those that were not used for longest go first.
public final class MemoryEmbeddingCache: EmbeddingCache {
    /// Bytes that a vector takes beside its numbers: key, links and the dictionary's share, rounded up.
    static let overhead = 160

    private struct State {
        var vectors: LeastRecentlyUsed<EmbeddingKey, [Float]>
        var hits = 0
        var misses = 0
    }
    private let state: Mutex<State>

    /// Creates a cache.
    ///
    /// - Parameter maxBytes: Bytes that it holds at most; 64 MiB is room for 20,000 vectors of 768 numbers.
    public init(maxBytes: Int = 64 << 20) {
        state = Mutex(State(vectors: LeastRecentlyUsed(capacity: maxBytes)))
    }

    /// The vectors that are there; does not wait.
    public func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]] { take(keys) }

    /// The same without waiting in form either.
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

    /// The vectors that are there, uncounted.
    public func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] {
        state.withLock { state in
            var found: [EmbeddingKey: [Float]] = [:]
            for key in keys { found[key] = state.vectors.peek(key) }
            return found
        }
    }

    /// Keeps vectors.
    public func store(_ vectors: [EmbeddingKey: [Float]]) {
        state.withLock { state in
            for (key, vector) in vectors {
                state.vectors.insert(vector, for: key, cost: vector.count * 4 + Self.overhead)
            }
        }
    }

    /// There is nothing to wait for.
    public func flush() async {}

    /// What happened so far.
    public var statistics: EmbeddingCacheStatistics {
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
