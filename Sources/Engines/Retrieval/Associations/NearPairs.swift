import Dispatch
import Synchronization

/// Two documents with near vectors.
public struct NearPair: Sendable, Hashable {
    /// The document with the smaller id.
    public var first: Int64
    /// The other document.
    public var second: Int64
    /// The cosine of their vectors, at most 1. With several passages: the cosine of the two nearest ones.
    public var similarity: Float

    /// Creates a pair.
    public init(first: Int64, second: Int64, similarity: Float) {
        self.first = first
        self.second = second
        self.similarity = similarity
    }
}

/// Which pairs a search for near pairs returns.
public struct NearPairOptions: Sendable, Hashable {
    /// The smallest cosine.
    public var minSimilarity: Float
    /// Nearest neighbours kept for each document. A pair is kept if either document is among the neighbours of the
    /// other.
    public var neighbours: Int

    /// Creates options.
    public init(minSimilarity: Float = 0.7, neighbours: Int = 10) {
        self.minSimilarity = minSimilarity
        self.neighbours = max(1, neighbours)
    }
}

/// The near pairs of a block of documents. The ids of a block are above those of the block before.
public struct NearPairBlock: Sendable {
    /// The pairs in which a document of the block has the other document as a neighbour, each once within the block.
    public var pairs: [NearPair]
    /// The largest id of the block; the next block begins after it.
    public var lastID: Int64
    /// Documents done so far, including those before the start that ``HybridIndex/nearPairs(_:after:_:)`` was given.
    public var done: Int
    /// The number of all documents with a vector, or of the chosen ones.
    public var total: Int

    /// Creates a block.
    public init(pairs: [NearPair], lastID: Int64, done: Int, total: Int) {
        self.pairs = pairs
        self.lastID = lastID
        self.done = done
        self.total = total
    }
}

extension HybridIndex {
    /// Finds the near pairs among all stored vectors: every row with every row, block by block, on all cores. Searches
    /// continue meanwhile and go first, and later changes of the index are not seen.
    ///
    /// The pairs are those of an exact comparison of everything with everything: codes of one byte a component rule out only
    /// pairs whose cosine cannot be high enough, and all others are scored in float32. Rows that are not finite, which
    /// a damaged file may hold, are near to none.
    ///
    /// Each block is complete, so work can be resumed after the last block's ``NearPairBlock/lastID``. When each
    /// document is a neighbour of the other, the pair appears in the blocks of both.
    ///
    /// Memory beyond the index: the codes of at most 256 MiB of rows, at most 16 million neighbours of 8 bytes, and
    /// 40 bytes a row.
    ///
    /// - Parameters:
    ///   - id: Documents up to this id are skipped as done; nil begins at the start.
    ///   - chosen: Only the neighbours of these documents are searched, among all; nil for those of all documents.
    ///   - body: Called with each block, in the order of the ids.
    /// - Throws: The error that `body` throws; `CancellationError`, within milliseconds;
    ///   ``RetrievalError/Code/damaged``.
    public func nearPairs(
        _ options: NearPairOptions, after id: Int64? = nil, of chosen: Set<Int64>? = nil,
        _ body: (NearPairBlock) async throws -> Void
    ) async throws {
        try await nearPairs(options, after: id, of: chosen, limits: PairLimits(), body)
    }

    /// The same with other limits, for tests.
    func nearPairs(
        _ options: NearPairOptions, after id: Int64? = nil, of chosen: Set<Int64>? = nil, limits: PairLimits,
        _ body: (NearPairBlock) async throws -> Void
    ) async throws {
        let snapshot = snapshot
        guard let vectors = snapshot.vectors else { return }
        let ids = snapshot.catalog.ids
        let ordinals = snapshot.catalog.liveOrdinals.filter(vectors.hasVector).sorted { ids[$0] < ids[$1] }
        let asked = chosen.map { chosen in ordinals.filter { chosen.contains(ids[$0]) } } ?? ordinals
        let done = id.map { id in asked.firstIndex { ids[$0] > id } ?? asked.count } ?? 0
        guard done < asked.count else { return }
        // Those whose neighbours are searched come last, so that they are compared with each other once.
        let targets = Array(asked[done...])
        let isTarget = Set(targets)
        let scan = PairScan(
            rows: PairRows(
                vectors: vectors, ordinals: ordinals.filter { !isTarget.contains($0) } + targets, ids: ids,
                targets: targets.count, limits: limits),
            options: options, limits: limits,
            underWay: PairScan.UnderWay { [self] in
                searchesUnderWay.load(ordering: .relaxed) > 0
            })
        try await withTaskCancellationHandler {
            while let block = scan.nextBlock() {
                try Task.checkCancellation()
                let pairs = await withCheckedContinuation { continuation in
                    // Keeps the threads of searches free.
                    DispatchQueue.global(qos: .utility).async { continuation.resume(returning: scan.pairs(of: block)) }
                }
                guard let pairs else { throw CancellationError() }
                guard snapshot.isIntact else { throw RetrievalError.damagedFile }
                let end = done + block.upperBound - (ordinals.count - targets.count)
                try await body(
                    NearPairBlock(pairs: pairs, lastID: ids[asked[end - 1]], done: end, total: asked.count))
            }
        } onCancel: {
            scan.cancel()
        }
    }
}
