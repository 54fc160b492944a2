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
    /// The number of all documents.
    public var total: Int
}

extension HybridIndex {
    /// Rows of a block, unless one document has more.
    static let pairBlockRows = 256

    /// Finds the near pairs among all stored vectors: every row times every row, block by block, on all cores. Searches
    /// continue meanwhile, and later changes of the index are not seen.
    ///
    /// Each block is complete, so work can be resumed after the last block's ``NearPairBlock/lastID``. When each
    /// document is a neighbour of the other, the pair appears in the blocks of both.
    /// - Parameters:
    ///   - id: Documents up to this id are skipped as done; nil begins at the start.
    ///   - chosen: Only the neighbours of these documents are searched, among all; nil for those of all documents.
    ///   - body: Called with each block, in the order of the ids.
    /// - Throws: The error that `body` throws; `CancellationError`, after at most one block;
    ///   ``RetrievalError/Code/damaged``.
    public func nearPairs(
        _ options: NearPairOptions, after id: Int64? = nil, of chosen: Set<Int64>? = nil,
        _ body: (NearPairBlock) async throws -> Void
    ) async throws {
        let snapshot = snapshot
        guard let vectors = snapshot.vectors else { return }
        let ids = snapshot.catalog.ids
        let ordinals = snapshot.catalog.liveOrdinals.filter {
            vectors.hasVector($0) && chosen?.contains(ids[$0]) != false
        }.sorted { ids[$0] < ids[$1] }
        var start = id.map { id in ordinals.firstIndex { ids[$0] > id } ?? ordinals.count } ?? 0
        let scan = PairScan(vectors: vectors, ids: ids, options: options)
        while start < ordinals.count {
            try Task.checkCancellation()
            var end = start
            var rows = 0
            while end < ordinals.count, rows < Self.pairBlockRows {
                rows += vectors.rows(of: ordinals[end]).count
                end += 1
            }
            let block = Array(ordinals[start..<end])
            let pairs = await withCheckedContinuation { continuation in
                // Keeps the threads of searches free.
                DispatchQueue.global(qos: .utility).async { continuation.resume(returning: scan.pairs(of: block)) }
            }
            start = end
            guard snapshot.isIntact else { throw RetrievalError.damagedFile }
            try await body(
                NearPairBlock(pairs: pairs, lastID: ids[block[block.count - 1]], done: end, total: ordinals.count))
        }
    }
}

/// Scores the documents of one block against all rows.
private struct PairScan: Sendable {
    /// Rows that are multiplied at once: their products with a block fit a core's cache.
    static let slabRows = 512
    private static let lanes = 16

    let vectors: VectorIndex
    let ids: [Int64]
    let options: NearPairOptions

    /// Rows of one part that are multiplied at once. All rows of a document are in one slab.
    private struct Slab {
        var part: Int
        var rows: Range<Int>
    }

    /// The columns of a panel with the document of each.
    private struct Panel: Sendable {
        /// Component by component, each with a value for every column.
        var values: [Float]
        /// A multiple of ``lanes``; columns after the last row are zero.
        var width: Int
        /// For each column, the place of its document in the block.
        var documents: [Int]
    }

    func pairs(of block: [Int]) -> [NearPair] {
        let panel = panel(of: block)
        let slabs = slabs()
        let found = Mutex([[Neighbour]](repeating: [], count: block.count))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: ScanPool.shared.threads) { _ in
            var finder = Finder(block: block, panel: panel, options: options)
            while true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard number < slabs.count else { break }
                finder.look(at: slabs[number].rows, of: vectors.parts[slabs[number].part], vectors, ids)
            }
            let kept = finder.nearest.map { $0.sorted().map { Neighbour(id: $0.key, score: $0.score) } }
            found.withLock { found in
                for (place, entries) in kept.enumerated() { found[place] += entries }
            }
        }
        return merged(found.withLock { $0 }, block)
    }

    /// A document near one of the block.
    private struct Neighbour: Sendable {
        var id: Int64
        var score: Float
    }

    private func merged(_ found: [[Neighbour]], _ block: [Int]) -> [NearPair] {
        var pairs: [NearPair] = []
        var seen: Set<SIMD2<Int64>> = []
        for (place, entries) in found.enumerated() {
            var best = TopK<Int64>(options.neighbours)
            for entry in entries { best.offer(.init(score: entry.score, key: entry.id, payload: 0)) }
            let own = ids[block[place]]
            for entry in best.sorted() {
                let pair = SIMD2(min(own, entry.key), max(own, entry.key))
                guard seen.insert(pair).inserted else { continue }
                pairs.append(NearPair(first: pair.x, second: pair.y, similarity: min(1, entry.score)))
            }
        }
        return pairs.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    private func panel(of block: [Int]) -> Panel {
        let dimensions = vectors.dimensions
        let counts = block.map { vectors.rows(of: $0).count }
        let rows = counts.reduce(0, +)
        let width = (rows + Self.lanes - 1) / Self.lanes * Self.lanes
        var values = [Float](repeating: 0, count: width * dimensions)
        var documents: [Int] = []
        documents.reserveCapacity(rows)
        for (place, ordinal) in block.enumerated() {
            let own = vectors.vectors(at: ordinal) ?? []
            for row in 0..<counts[place] {
                let column = documents.count
                for component in 0..<dimensions {
                    values[component * width + column] = own[row * dimensions + component]
                }
                documents.append(place)
            }
        }
        return Panel(values: values, width: width, documents: documents)
    }

    private func slabs() -> [Slab] {
        var slabs: [Slab] = []
        for (number, part) in vectors.parts.enumerated() {
            var start = 0
            while start < part.rows {
                var end = min(part.rows, start + Self.slabRows)
                while end < part.rows, part.chunk.ordinal(at: end) == part.chunk.ordinal(at: end - 1) { end += 1 }
                slabs.append(Slab(part: number, rows: start..<end))
                start = end
            }
        }
        return slabs
    }

    /// The neighbours that one thread found for the documents of a block.
    private struct Finder {
        private let block: [Int]
        private let panel: Panel
        private let options: NearPairOptions
        private(set) var nearest: [TopK<Int64>]
        /// For each column: the lowest score that can enter its document's neighbours.
        private var floors: [Float]
        private var products: [Float] = []
        /// By place in the block: the best score of the current document, if it reaches the floor.
        private var best: [Int: Float] = [:]

        init(block: [Int], panel: Panel, options: NearPairOptions) {
            self.block = block
            self.panel = panel
            self.options = options
            nearest = Array(repeating: TopK(options.neighbours), count: block.count)
            floors = Array(repeating: options.minSimilarity, count: panel.documents.count)
            floors += Array(repeating: .infinity, count: panel.width - panel.documents.count)
        }

        mutating func look(at rows: Range<Int>, of part: VectorIndex.Part, _ vectors: VectorIndex, _ ids: [Int64]) {
            let width = panel.width
            if products.count < rows.count * width {
                products = Array(repeating: 0, count: rows.count * width)
            }
            unsafe products.withUnsafeMutableBufferPointer { products in
                unsafe panel.values.withUnsafeBufferPointer { values in
                    guard let result = products.baseAddress, let values = values.baseAddress else { return }
                    unsafe BLAS.multiply(
                        part.chunk.rows(from: rows.lowerBound), count: rows.count, dimensions: vectors.dimensions,
                        panel: values, width: width, into: result)
                }
            }
            var held = -1
            for row in rows {
                let ordinal = part.chunk.ordinal(at: row)
                if ordinal != held {
                    offer(held, ids)
                    held = ordinal
                }
                guard vectors.isCurrent(row: part.firstRow + row, of: ordinal) else { continue }
                collect((row - rows.lowerBound) * width, ordinal)
            }
            offer(held, ids)
        }

        /// Records the scores of one row that reach their floors.
        private mutating func collect(_ start: Int, _ ordinal: Int) {
            let worth = unsafe products.withUnsafeBufferPointer { products in
                unsafe floors.withUnsafeBufferPointer { floors in
                    unsafe Self.groups(products.baseAddress, start, floors.baseAddress, floors.count)
                }
            }
            for group in worth {
                for column in group..<min(group + PairScan.lanes, panel.documents.count) {
                    let score = products[start + column]
                    let place = panel.documents[column]
                    guard score >= floors[column], block[place] != ordinal else { continue }
                    best[place] = max(best[place] ?? -1, score)
                }
            }
        }

        /// The groups of ``lanes`` columns in which a score reaches its floor, each by its first column.
        private static func groups(
            _ products: UnsafePointer<Float>?, _ start: Int, _ floors: UnsafePointer<Float>?, _ count: Int
        ) -> [Int] {
            guard let products = unsafe products, let floors = unsafe floors else { return [] }
            var found: [Int] = []
            var column = 0
            while column < count {
                let scores = unsafe UnsafeRawPointer(products + start + column)
                    .loadUnaligned(as: SIMD16<Float>.self)
                let least = unsafe UnsafeRawPointer(floors + column).loadUnaligned(as: SIMD16<Float>.self)
                if any(scores .>= least) { found.append(column) }
                column += PairScan.lanes
            }
            return found
        }

        /// Offers a document as a neighbour, after all of its rows were scored.
        private mutating func offer(_ ordinal: Int, _ ids: [Int64]) {
            guard !best.isEmpty else { return }
            for (place, score) in best {
                nearest[place].offer(.init(score: score, key: ids[ordinal], payload: ordinal))
            }
            // Few columns belong to a document: their floors rise with its heap.
            let touched = best.keys
            for place in touched {
                let floor = max(options.minSimilarity, nearest[place].threshold)
                var column = firstColumn(of: place)
                while column < panel.documents.count, panel.documents[column] == place {
                    floors[column] = floor
                    column += 1
                }
            }
            best.removeAll(keepingCapacity: true)
        }

        private func firstColumn(of place: Int) -> Int {
            var (low, high) = (0, panel.documents.count)
            while low < high {
                let middle = (low + high) / 2
                if panel.documents[middle] < place { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
