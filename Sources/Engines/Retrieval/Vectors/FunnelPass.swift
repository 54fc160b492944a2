import CKernels
import Synchronization

/// A pass that estimates scores from compressed rows and scores only the best candidates in float32. Rows added after
/// the codes were made have no codes and are scored exactly.
///
/// Candidates are estimated, their scores are exact. ``HybridIndex/tune(sample:progress:)`` measures how often the
/// result equals that of an exact pass; a plan is used only if that share is high enough.
final class FunnelPass: Sendable {
    /// Bytes of codes in a tile, which every query scores in turn.
    static let tileBytes = 128 << 10
    /// Tiles that a thread takes at once.
    static let tilesPerStretch = 4

    private let index: VectorIndex
    private let catalog: Catalog
    private let requests: [VectorRequest]
    private let plan: VectorPlan
    private let candidates: Int
    private let encoded: [Encoded]
    private let tileRows: Int
    private let ranges: [(part: Int, rows: Range<Int>)]
    private let nextRange = Atomic(0)
    private let empty: [Collected]
    private let collected: Mutex<[Collected]>

    private enum Encoded: Sendable {
        case bytes([Int8], scale: Float)
        case bits(BitCodes.Query)
    }

    /// Estimates and exact scores are not comparable, so each has its own list.
    private struct Collected: Sendable {
        var estimated: TopRows
        var exact: TopRows
        var bytesRead = 0
    }

    /// Prepares a pass.
    ///
    /// - Parameters:
    ///   - plan: Not ``VectorPlan/exact``.
    ///   - candidates: Rows that the first pass keeps, at least as many as wanted.
    init(index: VectorIndex, catalog: Catalog, requests: [VectorRequest], plan: VectorPlan, candidates: Int) {
        self.index = index
        self.catalog = catalog
        self.requests = requests
        self.plan = plan
        self.candidates = candidates
        let rotation = index.parts.lazy.compactMap(\.codes?.bits).first.map {
            Rotation(dimensions: index.dimensions, seed: $0.seed)
        }
        encoded = requests.map { request in
            if plan == .binary, let rotation { return .bits(BitCodes.query(request.query, rotation: rotation)) }
            let (codes, scale) = ByteCodes.query(request.query)
            return .bytes(codes, scale: scale)
        }
        let rowBytes =
            plan == .binary
            ? BitCodes.columns(forDimensions: index.dimensions) : ByteCodes.stride(forDimensions: index.dimensions)
        // Whole blocks of rows.
        tileRows = max(64, Self.tileBytes / rowBytes / BitCodes.blockRows * BitCodes.blockRows)
        var ranges: [(Int, Range<Int>)] = []
        for (number, part) in index.parts.enumerated() {
            let step = tileRows * Self.tilesPerStretch
            for start in stride(from: 0, to: part.rows, by: step) {
                ranges.append((number, start..<min(part.rows, start + step)))
            }
        }
        self.ranges = ranges
        empty = requests.map { request in
            Collected(
                estimated: TopRows(max(candidates, request.wanted), hasPassages: false),
                exact: TopRows(request.wanted, hasPassages: index.hasPassages))
        }
        collected = Mutex(empty)
    }

    /// The largest number of threads that can find work.
    var maxWorkers: Int { max(1, min(ScanPool.shared.threads, ranges.count)) }

    /// Takes and processes ranges until none is left.
    func participate() {
        var local = empty
        let scratch = Scratch(tileRows)
        while true {
            let number = nextRange.add(1, ordering: .relaxed).oldValue
            guard number < ranges.count else { break }
            let (partNumber, rows) = ranges[number]
            let part = index.parts[partNumber]
            for start in stride(from: rows.lowerBound, to: rows.upperBound, by: tileRows) {
                let tile = start..<min(start + tileRows, rows.upperBound)
                for request in requests.indices { scan(part, tile, request, &local[request], scratch) }
            }
        }
        let ids = catalog.ids
        collected.withLock { all in
            for number in all.indices {
                all[number].estimated.merge(local[number].estimated, ids: ids)
                all[number].exact.merge(local[number].exact, ids: ids)
                all[number].bytesRead += local[number].bytesRead
            }
        }
    }

    /// The answer to a request. Call it after every participant has returned.
    func result(of number: Int) -> VectorLegResult {
        let (request, found) = (requests[number], collected.withLock { $0[number] })
        var (estimated, best) = (found.estimated, found.exact)
        // In the order of the file, which may have to read them from the disk.
        let rows = estimated.sorted(ids: catalog.ids).sorted { $0.row < $1.row }
        index.willRead(rows.lazy.map { Int($0.row) })
        for var candidate in rows {
            candidate.score = index.score(of: request.query, row: Int(candidate.row))
            if candidate.score >= best.threshold { best.offer(candidate, ids: catalog.ids) }
        }
        let nearest = best.sorted(ids: catalog.ids)
        // The passages of a few documents may have taken all places of the candidates.
        let isCut = rows.count >= max(candidates, request.wanted) && rows.count < index.liveRows
        if isCut, nearest.count < request.wanted { return exact(request) }
        let hits = nearest.map { candidate in
            let ordinal = Int(candidate.ordinal)
            return LegHit(
                ordinal: ordinal, score: Double(candidate.score),
                passage: Int(candidate.row) - index.rows(of: ordinal).lowerBound)
        }
        let rescored = rows.count * index.dimensions * MemoryLayout<Float>.stride
        return VectorLegResult(hits: hits, bytesScanned: found.bytesRead + rescored, batch: requests.count, plan: plan)
    }

    private func exact(_ request: VectorRequest) -> VectorLegResult {
        let pass = VectorPass(index: index, catalog: catalog, requests: [request])
        pass.participate()
        var result = pass.result(of: 0)
        result.batch = requests.count
        return result
    }

    /// Memory of one thread.
    @safe private final class Scratch {
        let sums: UnsafeMutablePointer<Int32>
        let scores: UnsafeMutablePointer<Float>
        let places: UnsafeMutablePointer<UInt32>

        init(_ rows: Int) {
            // Sums of bits come in whole blocks.
            unsafe sums = .allocate(capacity: (rows + BitCodes.blockRows - 1) / BitCodes.blockRows * BitCodes.blockRows)
            unsafe scores = .allocate(capacity: rows)
            unsafe places = .allocate(capacity: rows)
        }

        deinit {
            unsafe sums.deallocate()
            unsafe scores.deallocate()
            unsafe places.deallocate()
        }
    }

    private func scan(
        _ part: VectorIndex.Part, _ rows: Range<Int>, _ number: Int, _ found: inout Collected, _ scratch: Scratch
    ) {
        let isEstimated: Bool
        switch encoded[number] {
        case .bytes(let query, let scale):
            isEstimated = part.codes?.bytes.map { estimate($0, rows, query, scale, scratch, &found) } != nil
        case .bits(let query):
            isEstimated = part.codes?.bits.map { estimate($0, rows, query, scratch, &found) } != nil
        }
        if !isEstimated {
            unsafe requests[number].query.withUnsafeBufferPointer { query in
                guard let query = query.baseAddress else { return }
                unsafe Kernels.best.dotRows(
                    part.chunk.rows(from: rows.lowerBound), count: rows.count, dimensions: index.dimensions,
                    query: query, scores: scratch.scores)
            }
            found.bytesRead += rows.count * index.dimensions * MemoryLayout<Float>.stride
        }
        let threshold = isEstimated ? found.estimated.threshold : found.exact.threshold
        let count = unsafe selene_select(scratch.scores, rows.count, threshold, scratch.places)
        for position in 0..<count {
            let place = unsafe Int(scratch.places[position])
            let score = unsafe scratch.scores[place]
            let ordinal = part.chunk.ordinal(at: rows.lowerBound + place)
            let row = part.firstRow + rows.lowerBound + place
            guard requests[number].passed?[ordinal] ?? catalog.isAlive[ordinal],
                index.isCurrent(row: row, of: ordinal)
            else { continue }
            let candidate = RowCandidate(score: score, ordinal: Int32(ordinal), row: Int32(row))
            if isEstimated {
                if score >= found.estimated.threshold { found.estimated.offer(candidate, ids: catalog.ids) }
            } else if score >= found.exact.threshold {
                found.exact.offer(candidate, ids: catalog.ids)
            }
        }
    }

    private func estimate(
        _ codes: ByteCodes, _ rows: Range<Int>, _ query: [Int8], _ scale: Float, _ scratch: Scratch,
        _ found: inout Collected
    ) {
        let stride = query.count
        let factors = unsafe codes.factors.values(of: Float.self)
        guard let base = unsafe codes.codes.values(of: UInt8.self).baseAddress, let factor = factors.baseAddress
        else { return }
        unsafe query.withUnsafeBufferPointer { query in
            guard let query = query.baseAddress else { return }
            unsafe Kernels.best.dotBytes(
                base + rows.lowerBound * stride, count: rows.count, stride: stride, query: query, sums: scratch.sums)
        }
        unsafe selene_estimate(
            scratch.sums, rows.count, scale, 0, factor + rows.lowerBound, 0, factor + rows.lowerBound, scratch.scores)
        found.bytesRead += rows.count * (stride + MemoryLayout<Float>.stride)
    }

    private func estimate(
        _ codes: BitCodes, _ rows: Range<Int>, _ query: BitCodes.Query, _ scratch: Scratch, _ found: inout Collected
    ) {
        let columns = BitCodes.columns(forDimensions: index.dimensions)
        let factors = unsafe codes.factors.values(of: Float.self)
        guard let base = unsafe codes.codes.values(of: UInt8.self).baseAddress, let factor = factors.baseAddress
        else { return }
        unsafe query.tables.withUnsafeBufferPointer { tables in
            guard let tables = tables.baseAddress else { return }
            // A tile begins with a block.
            unsafe Kernels.best.sumTables(
                base + rows.lowerBound * columns, count: (rows.count + BitCodes.blockRows - 1) / BitCodes.blockRows,
                columns: columns, tables: tables, sums: scratch.sums)
        }
        unsafe selene_estimate(
            scratch.sums, rows.count, query.step, query.low, factor + rows.lowerBound, 0, factor + rows.lowerBound,
            scratch.scores)
        found.bytesRead += rows.count * (columns + MemoryLayout<Float>.stride)
    }
}
