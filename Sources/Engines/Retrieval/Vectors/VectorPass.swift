import CKernels
import Synchronization

/// One exact pass over the matrix for one query or several, by any number of threads.
///
/// Threads take ranges of rows from a counter and process them in tiles that stay in the cache. Each query is scored
/// on a tile in turn; many queries are scored together in one panel. Rows that a query's filter excludes are neither
/// read nor scored.
///
/// Scores from ``Kernels/dotRows(_:count:dimensions:query:scores:)`` are final: a row's score does not depend on where
/// it lies. A panel sums in another order. So its best documents and some spare ones are scored again, with a check
/// that rounding cannot have excluded any.
final class VectorPass: Sendable {
    /// Bytes of a tile: half of a small second-level cache.
    static let tileBytes = 256 << 10
    /// The rows of a tile are a multiple of this, which is a multiple of the rows that any kernel takes at once.
    static let tileStep = 48
    static let tilesPerStretch = 4
    /// Documents that a panel keeps beyond those wanted.
    static let spare = 32

    let index: VectorIndex
    let requests: [VectorRequest]
    let ids: Column<Int64>
    private let alive: Bitmap
    private let plan: PanelPlan
    let tileRows: Int
    private let ranges: [RowRange]
    /// Requests without a filter, when there are enough for a panel.
    private let inPanel: [Int]
    private let oneByOne: [Int]
    private let panel: [Float]
    private let panelWidth: Int
    /// The rows to score, ascending, for a single request whose filter passes few of them; nil for all rows.
    private let chosen: [Int]?
    private let nextRange = Atomic(0)
    private let empty: [TopRows]
    private let collected: Mutex<[TopRows]>

    private struct RowRange {
        var part: Int
        var rows: Range<Int>
    }

    convenience init(index: VectorIndex, catalog: Catalog, requests: [VectorRequest]) {
        self.init(
            index: index, ids: catalog.ids, alive: catalog.isAlive, requests: requests,
            plan: requests.count > 1 ? .plan(forDimensions: index.dimensions) : .never)
    }

    init(index: VectorIndex, ids: Column<Int64>, alive: Bitmap, requests: [VectorRequest], plan: PanelPlan) {
        self.index = index
        self.requests = requests
        self.ids = ids
        self.alive = alive
        self.plan = plan
        let dimensions = index.dimensions
        tileRows = max(1, Self.tileBytes / (dimensions * MemoryLayout<Float>.stride * Self.tileStep)) * Self.tileStep
        var ranges: [RowRange] = []
        for (number, part) in index.parts.enumerated() {
            for start in stride(from: 0, to: part.rows, by: tileRows * Self.tilesPerStretch) {
                let end = min(part.rows, start + tileRows * Self.tilesPerStretch)
                ranges.append(RowRange(part: number, rows: start..<end))
            }
        }
        self.ranges = ranges
        chosen = Self.chosenRows(of: requests, in: index)
        let unfiltered = requests.indices.filter { requests[$0].passed == nil }
        let isPanel = unfiltered.count >= self.plan.fromQueries
        inPanel = isPanel ? unfiltered : []
        oneByOne = isPanel ? requests.indices.filter { requests[$0].passed != nil } : Array(requests.indices)
        panelWidth = (inPanel.count + Kernels.panelStep - 1) / Kernels.panelStep * Kernels.panelStep
        var panel = [Float](repeating: 0, count: panelWidth * dimensions)
        for (column, number) in inPanel.enumerated() {
            for component in 0..<dimensions {
                panel[component * panelWidth + column] = requests[number].query[component]
            }
        }
        self.panel = panel
        let spare = isPanel ? Self.spare : 0
        empty = requests.map { TopRows($0.wanted + ($0.passed == nil ? spare : 0), hasPassages: index.hasPassages) }
        collected = Mutex(empty)
    }

    /// The largest number of threads that can find work.
    var maxWorkers: Int {
        let pieces = chosen.map { ($0.count + Self.chosenAtOnce - 1) / Self.chosenAtOnce } ?? ranges.count
        return max(1, min(ScanPool.shared.threads, pieces))
    }

    /// Chosen rows that a thread takes at once.
    private static let chosenAtOnce = 256

    /// The rows of the documents that pass a filter; nil when they are many, or when several requests share the pass.
    private static func chosenRows(of requests: [VectorRequest], in index: VectorIndex) -> [Int]? {
        guard requests.count == 1, let passed = requests[0].passed, passed.count * 64 < index.rows else { return nil }
        var rows: [Int] = []
        passed.forEach { rows += index.rows(of: $0) }
        rows.sort()
        return rows
    }

    /// Takes and processes ranges until none is left.
    func participate() {
        var local = empty
        let scratch = Scratch(tileRows: tileRows, width: max(1, panelWidth))
        while true {
            let number = nextRange.add(1, ordering: .relaxed).oldValue
            if let chosen {
                let start = number * Self.chosenAtOnce
                guard start < chosen.count else { break }
                scan(chosen[start..<min(chosen.count, start + Self.chosenAtOnce)], &local, scratch)
                continue
            }
            guard number < ranges.count else { break }
            let range = ranges[number]
            if requests.contains(where: { $0.passed == nil }) {
                let ahead = range.rows.count * ScanPool.shared.threads * 2
                index.parts[range.part].chunk.willRead(
                    from: range.rows.lowerBound + ahead, count: range.rows.count)
            }
            for start in stride(from: range.rows.lowerBound, to: range.rows.upperBound, by: tileRows) {
                let rows = start..<min(start + tileRows, range.rows.upperBound)
                scan(index.parts[range.part], rows, &local, scratch)
            }
        }
        let ids = ids
        collected.withLock { all in
            for number in all.indices { all[number].merge(local[number], ids: ids) }
        }
    }

    /// The answer to a request. Call it after every participant has returned.
    func result(of number: Int) -> VectorLegResult {
        let request = requests[number]
        var top = collected.withLock { $0[number] }
        var candidates = top.sorted(ids: ids)
        if inPanel.contains(number) {
            guard let rescored = rescored(candidates, for: request) else { return alone(request) }
            candidates = rescored
        }
        return VectorLegResult(
            hits: legHits(candidates.prefix(request.wanted)),
            bytesScanned: top.rowsRead * index.dimensions * MemoryLayout<Float>.stride, batch: requests.count)
    }

    private func legHits(_ candidates: ArraySlice<RowCandidate>) -> [LegHit] {
        candidates.map { candidate in
            let ordinal = Int(candidate.ordinal)
            return LegHit(
                ordinal: ordinal, score: Double(candidate.score),
                passage: Int(candidate.row) - index.rows(of: ordinal).lowerBound)
        }
    }

    /// Final scores for the candidates of a panel; nil when an excluded row might belong among them.
    private func rescored(_ candidates: [RowCandidate], for request: VectorRequest) -> [RowCandidate]? {
        let lowest = candidates.last?.score ?? 0
        var best = TopRows(request.wanted, hasPassages: index.hasPassages)
        for candidate in candidates {
            // Rounding may have put another of the document's passages first.
            for row in index.rows(of: Int(candidate.ordinal)) {
                let score = index.score(of: request.query, row: row)
                guard score >= best.threshold else { continue }
                best.offer(RowCandidate(score: score, ordinal: candidate.ordinal, row: Int32(row)), ids: ids)
            }
        }
        let kept = best.sorted(ids: ids)
        guard candidates.count == request.wanted + Self.spare, let last = kept.last else { return kept }
        // Two sums of n products of unit vectors differ by at most 2nu, u = 2^-24 (Higham, "Accuracy and Stability of
        // Numerical Algorithms", 2002, section 3.1).
        let error = 2 * Float(index.dimensions) * 0x1p-24
        return last.score > lowest + error ? kept : nil
    }

    private func alone(_ request: VectorRequest) -> VectorLegResult {
        let pass = VectorPass(index: index, ids: ids, alive: alive, requests: [request], plan: .never)
        pass.participate()
        var result = pass.result(of: 0)
        result.batch = requests.count
        return result
    }
}

// MARK: - One tile

extension VectorPass {
    /// Memory of one thread.
    @safe fileprivate final class Scratch {
        let scores: UnsafeMutablePointer<Float>
        let places: UnsafeMutablePointer<UInt32>
        let thresholds: UnsafeMutablePointer<Float>

        init(tileRows: Int, width: Int) {
            unsafe scores = .allocate(capacity: tileRows * width)
            unsafe places = .allocate(capacity: tileRows * width)
            unsafe thresholds = .allocate(capacity: width)
            // Padding columns of a panel find nothing.
            unsafe thresholds.initialize(repeating: .infinity, count: width)
        }

        deinit {
            unsafe scores.deallocate()
            unsafe places.deallocate()
            unsafe thresholds.deallocate()
        }
    }

    private func scan(_ part: VectorIndex.Part, _ rows: Range<Int>, _ local: inout [TopRows], _ scratch: Scratch) {
        if !inPanel.isEmpty { scanPanel(part, rows, &local, scratch) }
        for number in oneByOne {
            guard let passed = requests[number].passed else {
                scanRun(part, rows, number, &local, scratch)
                continue
            }
            // Scores runs of rows that pass the filter; others are not read.
            var start = rows.lowerBound
            while start < rows.upperBound {
                guard passed[part.chunk.ordinal(at: start)] else {
                    start += 1
                    continue
                }
                var end = start + 1
                while end < rows.upperBound, passed[part.chunk.ordinal(at: end)] { end += 1 }
                scanRun(part, start..<end, number, &local, scratch)
                start = end
            }
        }
    }

    /// Scores chosen rows; those one after another in one call.
    private func scan(_ rows: ArraySlice<Int>, _ local: inout [TopRows], _ scratch: Scratch) {
        index.willRead(rows)
        var start = rows.startIndex
        while start < rows.endIndex {
            guard let part = index.part(holding: rows[start]) else { return }
            var end = start + 1
            while end < rows.endIndex, rows[end] == rows[end - 1] + 1, rows[end] < part.firstRow + part.rows,
                end - start < tileRows
            {
                end += 1
            }
            scanRun(part, rows[start] - part.firstRow..<rows[end - 1] + 1 - part.firstRow, 0, &local, scratch)
            start = end
        }
    }

    private func scanRun(
        _ part: VectorIndex.Part, _ rows: Range<Int>, _ number: Int, _ local: inout [TopRows], _ scratch: Scratch
    ) {
        unsafe requests[number].query.withUnsafeBufferPointer { query in
            guard let query = query.baseAddress else { return }
            unsafe Kernels.best.dotRows(
                part.chunk.rows(from: rows.lowerBound), count: rows.count, dimensions: index.dimensions, query: query,
                scores: scratch.scores)
        }
        local[number].rowsRead += rows.count
        let found = unsafe selene_select(scratch.scores, rows.count, local[number].threshold, scratch.places)
        for index in 0..<found {
            let place = unsafe Int(scratch.places[index])
            unsafe offer(part, rows.lowerBound + place, scratch.scores[place], to: &local[number])
        }
    }

    private func scanPanel(
        _ part: VectorIndex.Part, _ rows: Range<Int>, _ local: inout [TopRows], _ scratch: Scratch
    ) {
        for (column, number) in inPanel.enumerated() {
            unsafe scratch.thresholds[column] = local[number].threshold
            local[number].rowsRead += rows.count
        }
        let base = unsafe part.chunk.rows(from: rows.lowerBound)
        unsafe panel.withUnsafeBufferPointer { panel in
            guard let panel = panel.baseAddress else { return }
            if plan.usesBLAS {
                unsafe BLAS.multiply(
                    base, count: rows.count, dimensions: index.dimensions, panel: panel, width: panelWidth,
                    into: scratch.scores)
            } else {
                unsafe Kernels.best.dotPanel(
                    base, count: rows.count, dimensions: index.dimensions, panel: panel, width: panelWidth,
                    scores: scratch.scores)
            }
        }
        let found = unsafe selene_select_columns(
            scratch.scores, rows.count, panelWidth, scratch.thresholds, scratch.places)
        for number in 0..<found {
            let place = unsafe Int(scratch.places[number])
            let (row, column) = place.quotientAndRemainder(dividingBy: panelWidth)
            unsafe offer(part, rows.lowerBound + row, scratch.scores[place], to: &local[inPanel[column]])
        }
    }

    private func offer(_ part: VectorIndex.Part, _ place: Int, _ score: Float, to top: inout TopRows) {
        // The threshold may have risen since the tile was scored.
        guard score >= top.threshold else { return }
        let ordinal = part.chunk.ordinal(at: place)
        let row = part.firstRow + place
        guard alive[ordinal], index.isCurrent(row: row, of: ordinal) else { return }
        top.offer(RowCandidate(score: score, ordinal: Int32(ordinal), row: Int32(row)), ids: ids)
    }
}
