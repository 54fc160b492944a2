import ChatRoom
import GatewayAPI
import Retrieval
import Synchronization

/// Indexes the memories for the search engine of the notes, with one index for each vector length of the queries.
///
/// After a change of the store, by this or another process, the changed memories are read and applied, or all of them when the
/// store does not know which. Memory: about 4 bytes for each component of a vector, and three times the text.
actor MemoryIndex {
    /// The maximum number of indexed memories, newest first.
    static let maxMemories = 50_000
    /// The number of new memories beyond ``maxMemories`` after which the oldest ones are removed.
    static let maxExcess = 1000
    /// The maximum number of vector lengths with an index.
    static let maxIndexes = 2

    /// How a query with a vector finds a memory; stored as the document's actionability.
    enum Kind: String {
        /// The memory has a vector of the index's length.
        case vector
        /// The memory has no vector or one of another length, so its words count.
        case words
        /// The memory's vector is zero.
        case none
    }

    private struct Kept {
        let dimensions: Int?
        let index: HybridIndex
        /// A hash of each memory in the index.
        var hashes: [Int64: Int] = [:]
        /// The store's version before the last read; nil before the first read.
        var version: Int64?
        /// The place of the last read in the log of changed memories; nil when all have to be read.
        var position: Int64?
    }

    private let store: MemoryRoom
    /// The indexes, most recently used first.
    private var kept: [Kept] = []
    private var latest: Task<HybridIndex, any Error>?

    init(_ store: MemoryRoom) { self.store = store }

    /// The index with every memory committed before this call.
    ///
    /// - Parameter dimensions: The length of the query's vector; nil for a search by words, which any index can answer.
    /// - Throws: The store's error, ``RetrievalError``.
    func current(dimensions: Int?) async throws -> HybridIndex {
        // Reads run one after another, so that an older state of a memory never replaces a newer one.
        let task = Task { [previous = latest] in
            _ = await previous?.result
            return try await refresh(dimensions)
        }
        latest = task
        return try await task.value
    }

    private func refresh(_ dimensions: Int?) async throws -> HybridIndex {
        var entry: Kept
        if let place = kept.firstIndex(where: { dimensions == nil || $0.dimensions == dimensions }) {
            entry = kept.remove(at: place)
        } else {
            entry = Kept(dimensions: dimensions, index: HybridIndex(dimensions: dimensions))
        }
        let version = try await store.version()
        if entry.version != version {
            let reading = Reading(index: entry.index, dimensions: entry.dimensions, before: entry.hashes)
            let look = try await store.look(after: entry.position, limit: Self.maxMemories) { reading.take($0, $1) }
            entry.hashes = try reading.finish(changed: look.changed)
            entry.version = version
            // Too many: the next look takes the newest ones.
            entry.position = entry.hashes.count > Self.maxMemories + Self.maxExcess ? nil : look.position
        }
        kept.insert(entry, at: 0)
        kept.removeLast(max(0, kept.count - Self.maxIndexes))
        return entry.index
    }
}

/// Compares memories with an index's contents and applies the changed ones.
private final class Reading: Sendable {
    private struct State {
        var hashes: [Int64: Int] = [:]
        var update = IndexUpdate()
        var failure: RetrievalError?
    }

    private static let batch = 500

    private let index: HybridIndex
    private let dimensions: Int?
    private let before: [Int64: Int]
    private let state = Mutex(State())

    init(index: HybridIndex, dimensions: Int?, before: [Int64: Int]) {
        self.index = index
        self.dimensions = dimensions
        self.before = before
    }

    func take(_ memory: Memory, _ vector: [Float]?) {
        state.withLock { state in
            let hash = Self.hash(memory, vector)
            state.hashes[memory.id] = hash
            guard before[memory.id] != hash else { return }
            add(memory, vector, to: &state.update)
            if state.update.documents.count >= Self.batch { apply(&state) }
        }
    }

    /// Removes deleted memories.
    ///
    /// - Parameter changed: The ids that changed, present or not; nil when all memories were taken.
    /// - Returns: The hashes of all present memories.
    func finish(changed: Set<Int64>?) throws(RetrievalError) -> [Int64: Int] {
        let (hashes, failure) = state.withLock { state in
            let seen = state.hashes
            if let changed {
                let gone = changed.filter { before[$0] != nil && seen[$0] == nil }
                state.update.removedDocuments = Array(gone)
                state.hashes = before.merging(seen) { _, new in new }
                for id in gone { state.hashes[id] = nil }
            } else {
                state.update.removedDocuments = before.keys.filter { seen[$0] == nil }
            }
            apply(&state)
            return (state.hashes, state.failure)
        }
        if let failure { throw failure }
        return hashes
    }

    private func apply(_ state: inout State) {
        do throws(RetrievalError) {
            try index.apply(state.update)
        } catch {
            state.failure = error
        }
        state.update = IndexUpdate()
    }

    private func add(_ memory: Memory, _ vector: [Float]?, to update: inout IndexUpdate) {
        var kind = MemoryIndex.Kind.words
        if let vector, vector.count == dimensions {
            kind = vector.contains { $0 != 0 } ? .vector : .none
        }
        update.documents.append(
            RetrievalDocument(
                id: memory.id, title: "", text: memory.content, noteType: memory.type, actionability: kind.rawValue,
                createdAt: Self.rank(memory)))
        if kind == .vector, let vector {
            update.vectors.append(VectorEntry(id: memory.id, values: vector))
        } else {
            update.removedVectors.append(memory.id)
        }
    }

    /// The value for the creation time, by which the engine orders equal scores: higher confidence first, then newer.
    private static func rank(_ memory: Memory) -> Int64 {
        let sureness = Int64(min(1, max(0, memory.confidence)) * 1_000_000)
        return sureness << 40 | memory.id & ((1 << 40) - 1)
    }

    private static func hash(_ memory: Memory, _ vector: [Float]?) -> Int {
        var hasher = Hasher()
        hasher.combine(memory.content)
        hasher.combine(memory.type)
        hasher.combine(memory.confidence)
        hasher.combine(vector?.count)
        vector?.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}
