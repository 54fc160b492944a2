import CKernels
import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Compares documents, block by block. Each pair of documents whose neighbours are searched is compared once, for both.
///
/// A block is a run of documents. It is compared with itself and all documents after it; what the documents before it found
/// is there already. Documents whose neighbours are not searched, and those outside the block's span, are compared for the
/// block alone.
final class PairScan: Sendable {
    /// Tells whether searches are under way, for which the threads wait a little.
    struct UnderWay: Sendable {
        var isSearching: @Sendable () -> Bool
    }

    private struct State {
        /// The next block's first document.
        var next: Int
        /// The documents that are compared with each other once; their lists are held.
        var span: Range<Int>
        var lists: NearestLists
    }

    private let rows: PairRows
    private let options: NearPairOptions
    private let limits: PairLimits
    private let underWay: UnderWay
    private let state: Mutex<State>
    private let isCancelled = Atomic(false)

    init(rows: PairRows, options: NearPairOptions, limits: PairLimits, underWay: UnderWay) {
        self.rows = rows
        self.options = options
        self.limits = limits
        self.underWay = underWay
        let first = rows.ids.count - rows.targets
        state = Mutex(
            State(next: first, span: first..<first, lists: Self.lists(first..<first, rows, options)))
    }

    /// Lets ``pairs(of:)`` return nil soon.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// The documents of the next block; nil at the end.
    func nextBlock() -> Range<Int>? {
        state.withLock { state in
            let total = rows.ids.count
            guard state.next < total else { return nil }
            if state.next == state.span.upperBound {
                let length = max(1, limits.neighbours / min(options.neighbours, total))
                state.span = state.next..<min(total, state.next + length)
                state.lists = Self.lists(state.span, rows, options)
            }
            var end = state.next
            while end < state.span.upperBound,
                end == state.next || rows.places(of: state.next..<end + 1).count <= limits.blockRows
            {
                end += 1
            }
            let block = state.next..<end
            state.next = end
            return block
        }
    }

    private static func lists(_ span: Range<Int>, _ rows: PairRows, _ options: NearPairOptions) -> NearestLists {
        NearestLists(
            first: span.lowerBound, count: span.count, options: options, ids: rows.ids, hasPassages: rows.hasPassages)
    }

    /// The pairs of the documents of a block; nil when the search was cancelled.
    func pairs(of block: Range<Int>) -> [NearPair]? {
        let span = state.withLock { $0.span }
        let columns = Kernels.bytePanelColumns
        let panels = (rows.count + columns - 1) / columns
        let places = (block: rows.places(of: block), span: rows.places(of: span))
        // Panels of the span before the block are done.
        let known = (places.span.lowerBound + columns - 1) / columns
        let tiles = tiles(0..<min(known, panels)) + tiles(max(known, places.block.lowerBound / columns)..<panels)
        let sides = Sides(block: places.block, span: places.span)
        // Documents with more rows than a block are compared in several runs.
        for start in stride(from: places.block.lowerBound, to: places.block.upperBound, by: limits.blockRows) {
            let some = start..<min(places.block.upperBound, start + limits.blockRows)
            let coder = Coder(rows, rows: some.count)
            coder.encode(some)
            let left = Left(places: some, coder: coder)
            let next = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: min(ScanPool.shared.threads, tiles.count)) { _ in
                let work = PairTile(rows, limits: limits, left: left, sides: sides)
                while !isCancelled.load(ordering: .relaxed) {
                    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard number < tiles.count else { break }
                    giveWay()
                    compare(tiles[number], work)
                }
            }
        }
        return isCancelled.load(ordering: .relaxed) ? nil : collected(block)
    }

    private func tiles(_ panels: Range<Int>) -> [Range<Int>] {
        stride(from: panels.lowerBound, to: panels.upperBound, by: limits.tilePanels).map {
            $0..<min(panels.upperBound, $0 + limits.tilePanels)
        }
    }

    /// Waits while searches are under way, but not for long.
    private func giveWay() {
        var waited = 0
        while waited < limits.pauseMicroseconds, underWay.isSearching() {
            usleep(500)
            waited += 500
        }
    }

    private func compare(_ tile: Range<Int>, _ work: PairTile) {
        state.withLock { state in
            work.prepare(tile) { state.lists.floor(of: $0) }
        }
        let found = work.screened()
        guard !found.isEmpty else { return }
        state.withLock { state in
            for pair in found {
                let (document, other) = (Int(rows.documents[pair.place]), Int(rows.documents[pair.other]))
                state.lists.offer(other, pair.score, to: document)
                if pair.isForBoth { state.lists.offer(document, pair.score, to: other) }
            }
        }
    }

    private func collected(_ block: Range<Int>) -> [NearPair] {
        var found: [NearPair] = []
        state.withLock { state in
            for document in block {
                for (other, score) in state.lists.neighbours(of: document) {
                    let (own, its) = (rows.ids[document], rows.ids[other])
                    found.append(NearPair(first: min(own, its), second: max(own, its), similarity: min(1, score)))
                }
            }
        }
        found.sort { ($0.first, $0.second) < ($1.first, $1.second) }
        // Both documents of a pair may be in the block.
        var pairs: [NearPair] = []
        pairs.reserveCapacity(found.count)
        for pair in found where pairs.last?.first != pair.first || pairs.last?.second != pair.second {
            pairs.append(pair)
        }
        return pairs
    }
}

/// The places whose pairs count for a block.
struct Sides: Sendable {
    /// The block's places.
    var block: Range<Int>
    /// The places of the block's span.
    var span: Range<Int>

    /// How a place counts beside those of the block.
    enum Side {
        /// It is of no interest: its pairs with the block are known.
        case known
        /// Its pairs count for the block alone.
        case oneSided
        /// Its pairs count for both.
        case twoSided
    }

    func side(of place: Int) -> Side {
        guard span.contains(place) else { return .oneSided }
        return place < block.lowerBound ? .known : .twoSided
    }
}

/// Rows of a block with their codes, which several threads read.
///
/// SAFETY: `@unchecked Sendable` because the codes are written before any thread reads them.
@safe struct Left: @unchecked Sendable {
    var places: Range<Int>
    var coder: Coder
}

/// One thread's memory for the comparison of rows of a block with a tile.
@safe final class PairTile {
    /// Two rows whose cosine may matter.
    struct Found {
        var place: Int
        var other: Int
        var score: Float
        /// Whether the pair counts for the other one's document, too.
        var isForBoth: Bool
    }

    private let rows: PairRows
    private let left: Left
    private let sides: Sides
    private let coder: Coder
    private var tile = 0..<0
    /// The block's rows with their floors, and the tile's floors.
    private let coded: UnsafeMutablePointer<selene_coded_row>
    private let floors: UnsafeMutablePointer<Float>
    private let errors: UnsafeMutablePointer<Float>
    private let places: UnsafeMutablePointer<UInt32>

    init(_ rows: PairRows, limits: PairLimits, left: Left, sides: Sides) {
        self.rows = rows
        self.left = left
        self.sides = sides
        coder = Coder(rows, rows: Kernels.bytePanelColumns, panels: limits.tilePanels)
        let columns = limits.tilePanels * Kernels.bytePanelColumns
        unsafe coded = .allocate(capacity: left.places.count)
        unsafe floors = .allocate(capacity: columns)
        unsafe errors = .allocate(capacity: columns)
        unsafe places = .allocate(capacity: left.places.count * columns)
        unsafe coded.initialize(from: left.coder.coded, count: left.places.count)
    }

    deinit {
        unsafe coded.deallocate()
        unsafe floors.deallocate()
        unsafe errors.deallocate()
        unsafe places.deallocate()
    }

    private var firstPlace: Int { tile.lowerBound * Kernels.bytePanelColumns }

    /// Takes the floors of the documents for a tile.
    func prepare(_ tile: Range<Int>, _ floor: (Int) -> Float) {
        self.tile = tile
        for (number, place) in left.places.enumerated() {
            unsafe coded[number].floor = floor(Int(rows.documents[place]))
        }
        for column in 0..<tile.count * Kernels.bytePanelColumns {
            let place = firstPlace + column
            let isOfInterest = place < rows.count && sides.side(of: place) == .twoSided
            unsafe floors[column] = isOfInterest ? floor(Int(rows.documents[place])) : .infinity
        }
    }

    /// The pairs that reach a floor, with their scores.
    func screened() -> [Found] {
        var found: [Found] = []
        let columns = tile.count * Kernels.bytePanelColumns
        unsafe rows.withPanels(tile, coder) { panels, factors, errors, lengths in
            for column in 0..<columns {
                let isKnown = firstPlace + column >= rows.count || sides.side(of: firstPlace + column) == .known
                unsafe self.errors[column] = isKnown ? -.infinity : errors[column]
            }
            let count = unsafe Kernels.best.screenPairs(
                left.coder.codes, totals: left.coder.totals, coded: coded, count: left.places.count,
                stride: rows.stride, panels: panels,
                columns: selene_coded_columns(
                    factors: factors, errors: self.errors, lengths: lengths, floors: floors),
                panelCount: tile.count, places: places)
            for index in 0..<count {
                let (number, column) = unsafe (Int(places[index] >> 16), Int(places[index] & 0xFFFF))
                if let pair = scored(number, column) { found.append(pair) }
            }
        }
        return found
    }

    private func scored(_ number: Int, _ column: Int) -> Found? {
        let (place, other) = (left.places.lowerBound + number, firstPlace + column)
        guard rows.documents[place] != rows.documents[other] else { return nil }
        let isForBoth = sides.side(of: other) == .twoSided
        // Pairs within the block are met twice.
        guard !isForBoth || other > place else { return nil }
        let score = rows.score(place, other)
        guard unsafe score >= min(coded[number].floor, floors[column]) else { return nil }
        return Found(place: place, other: other, score: score, isForBoth: isForBoth)
    }
}
