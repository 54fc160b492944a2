package import Logging
import Synchronization

/// Reads and writes vectors on disk for ``DiskEmbeddingCache``. Either function may throw.
package struct EmbeddingStore: Sendable {
    /// The result of a write.
    package struct Outcome: Sendable, Hashable {
        /// Vectors on disk now.
        package var entries: Int
        /// Bytes on disk now.
        package var bytes: Int
        /// Vectors that this write evicted.
        package var evicted: Int

        package init(entries: Int, bytes: Int, evicted: Int) {
            self.entries = entries
            self.bytes = bytes
            self.evicted = evicted
        }
    }

    /// Returns the stored vectors of keys.
    package var read: @Sendable ([EmbeddingKey]) async throws -> [EmbeddingKey: [Float]]
    /// Stores vectors, and marks the vectors of `used` as used.
    package var write: @Sendable (_ vectors: [EmbeddingKey: [Float]], _ used: Set<EmbeddingKey>) async throws -> Outcome

    package init(
        read: @escaping @Sendable ([EmbeddingKey]) async throws -> [EmbeddingKey: [Float]],
        write:
            @escaping @Sendable (_ vectors: [EmbeddingKey: [Float]], _ used: Set<EmbeddingKey>) async throws ->
            Outcome
    ) {
        self.read = read
        self.write = write
    }
}

/// A cache on disk. Vectors are written in batches, after the requests that caused them.
///
/// The first read or write error (full, damaged, gone) is logged once and switches the cache off. A cache that is off
/// is empty and stores nothing. Unwritten vectors are lost when the process dies, and are embedded again.
package final class DiskEmbeddingCache: EmbeddingCache {
    /// Limits of batches and of unwritten vectors.
    package struct Options: Sendable, Hashable {
        /// How long a vector waits for others in its batch.
        package var delay: Duration
        /// The number of vectors that are written without further wait.
        package var batch: Int
        /// The maximum bytes of unwritten vectors; further vectors are dropped.
        package var maxPendingBytes: Int

        package init(delay: Duration = .milliseconds(250), batch: Int = 256, maxPendingBytes: Int = 16 << 20) {
            self.delay = delay
            self.batch = max(1, batch)
            self.maxPendingBytes = maxPendingBytes
        }
    }

    /// The maximum number of keys whose use is not yet recorded on disk.
    private static let maxUsed = 8192

    private struct State {
        var pending: [EmbeddingKey: [Float]] = [:]
        var pendingBytes = 0
        var used: Set<EmbeddingKey> = []
        /// The batch being written, which can still be read.
        var written: [EmbeddingKey: [Float]] = [:]
        var writer: Task<Void, Never>?
        var isTimerSet = false
        var statistics = EmbeddingCacheStatistics()
    }
    private let state = Mutex(State())
    private let store: EmbeddingStore
    private let options: Options
    private let logger: Logger

    package init(_ store: EmbeddingStore, options: Options = Options(), logger: Logger) {
        self.store = store
        self.options = options
        self.logger = logger
    }

    /// Returns the cached vectors, unwritten ones included.
    package func vectors(for keys: [EmbeddingKey]) async -> [EmbeddingKey: [Float]] {
        var found = peek(keys)
        let rest = keys.filter { found[$0] == nil }
        let isOff = state.withLock { $0.statistics.isOff }
        if !rest.isEmpty, !isOff {
            do {
                let read = try await store.read(rest)
                found.merge(read) { first, _ in first }
                noteUse(of: read.keys)
            } catch {
                if !(error is CancellationError), !Task.isCancelled { switchOff(error, "read") }
            }
        }
        state.withLock { [found] state in
            state.statistics.hits += found.count
            state.statistics.misses += keys.count - found.count
        }
        return found
    }

    /// Returns the unwritten vectors.
    package func peek(_ keys: [EmbeddingKey]) -> [EmbeddingKey: [Float]] {
        state.withLock { state in
            guard !state.pending.isEmpty || !state.written.isEmpty else { return [:] }
            var found: [EmbeddingKey: [Float]] = [:]
            for key in keys { found[key] = state.pending[key] ?? state.written[key] }
            return found
        }
    }

    /// Caches vectors and returns; the next batch writes them.
    package func store(_ vectors: [EmbeddingKey: [Float]]) {
        let isFull = state.withLock { state in
            guard !state.statistics.isOff else { return false }
            for (key, vector) in vectors {
                let bytes = vector.count * 4
                guard state.pendingBytes + bytes <= options.maxPendingBytes else {
                    state.statistics.dropped += 1
                    continue
                }
                if let old = state.pending.updateValue(vector, forKey: key) { state.pendingBytes -= old.count * 4 }
                state.pendingBytes += bytes
            }
            return state.pending.count >= options.batch
        }
        if isFull { Task { await flush() } } else { setTimer() }
    }

    /// Writes all unwritten vectors now.
    package func flush() async {
        while true {
            let writer: Task<Void, Never>? = state.withLock { state in
                if let writer = state.writer { return writer }
                guard !state.pending.isEmpty || !state.used.isEmpty else { return nil }
                let writer = Task { await self.write() }
                state.writer = writer
                return writer
            }
            guard let writer else { return }
            await writer.value
        }
    }

    /// Counts since the cache was created; entries and bytes are those of the last write.
    package var statistics: EmbeddingCacheStatistics { state.withLock { $0.statistics } }

    private func noteUse(of keys: some Collection<EmbeddingKey>) {
        guard !keys.isEmpty else { return }
        state.withLock { state in
            if state.used.count + keys.count <= Self.maxUsed { state.used.formUnion(keys) }
        }
        setTimer()
    }

    private func setTimer() {
        let isSet = state.withLock { state in
            guard !state.statistics.isOff else { return true }
            defer { state.isTimerSet = true }
            return state.isTimerSet
        }
        guard !isSet else { return }
        Task { [weak self, delay = options.delay] in
            try? await Task.sleep(for: delay)
            guard let self else { return }
            state.withLock { $0.isTimerSet = false }
            await flush()
        }
    }

    /// Writes one batch; only one call runs at a time.
    private func write() async {
        let (vectors, used) = state.withLock { state in
            state.written = state.pending
            state.pending = [:]
            state.pendingBytes = 0
            defer { state.used = [] }
            return (state.written, state.used)
        }
        do {
            let outcome = try await store.write(vectors, used)
            state.withLock { state in
                state.statistics.entries = outcome.entries
                state.statistics.bytes = outcome.bytes
                state.statistics.evictions += outcome.evicted
            }
        } catch {
            switchOff(error, "written")
        }
        state.withLock { state in
            state.written = [:]
            state.writer = nil
        }
    }

    private func switchOff(_ error: any Error, _ verb: String) {
        let isFirst = state.withLock { state in
            defer {
                state.statistics.isOff = true
                state.pending = [:]
                state.pendingBytes = 0
                state.used = []
            }
            return !state.statistics.isOff
        }
        guard isFirst else { return }
        logger.warning(
            "the embedding cache cannot be \(verb) and is off until the next start", metadata: ["error": "\(error)"])
    }
}
