import Dispatch
import Synchronization

extension HybridIndex {
    /// The instruction set of the inner loops, for reports: `avx512`, `avx2`, `neon` or `generic`.
    public static var kernel: String { Kernels.best.name }

    /// The plans for which the rows have codes. Always includes the exact plan.
    public var availablePlans: [VectorPlan] {
        guard let vectors = snapshot.vectors else { return [.exact] }
        return VectorPlan.allCases.filter(vectors.hasCodes(for:))
    }

    /// Makes compressed copies of all rows, for the first pass of a plan. Later rows have no codes and are scored
    /// exactly.
    ///
    /// Waits for a running change, and changes wait for this call; searches continue. Time grows with the rows: on one
    /// core about 10 µs each for bits.
    ///
    /// - Parameters:
    ///   - plans: The plans to encode for. Codes of all other plans are dropped.
    ///   - progress: Called now and then with the number of finished rows and of all rows.
    public func encodeRows(for plans: Set<VectorPlan>, progress: (Int, Int) -> Void) {
        writing.withLock { _ in
            guard let vectors = snapshot.vectors else { return }
            let seed = UInt64(vectors.dimensions)
            let centre = plans.contains(.binary) ? vectors.meanRow() : []
            var done = 0
            let codes = vectors.parts.map { part in
                let source = unsafe RowSource(rows: part.rows, dimensions: vectors.dimensions) { row in
                    unsafe part.chunk.rows(from: row)
                }
                let codes = RowCodes(
                    bytes: plans.contains(.int8) ? ByteCodes(source) : nil,
                    bits: plans.contains(.binary) ? BitCodes(source, centre: centre, seed: seed) : nil)
                done += part.rows
                progress(done, vectors.rows)
                return codes
            }
            state.withLock { state in
                state.snapshot.vectors?.setCodes(codes)
                state.snapshot.version += 1
            }
        }
    }
}

extension VectorIndex {
    /// The mean of at most ten thousand evenly spaced rows.
    fileprivate func meanRow() -> [Float] {
        var sum = [Double](repeating: 0, count: dimensions)
        var count = 0
        for part in parts {
            for row in stride(from: 0, to: part.rows, by: max(1, rows / 10_000)) {
                let vector = part.chunk.vectors(row..<row + 1)
                for index in 0..<dimensions { sum[index] += Double(vector[index]) }
                count += 1
            }
        }
        return sum.map { Float($0 / Double(max(1, count))) }
    }
}

extension VectorIndex {
    /// The codes of some rows in their order, for an index file; nil when the index has no codes for the plan.
    func encoded(_ rows: [Int], for plan: VectorPlan) -> RowCodes? {
        guard hasCodes(for: plan) else { return nil }
        let source = unsafe RowSource(rows: rows.count, dimensions: dimensions) { number in
            let part = part(holding: rows[number]) ?? parts[0]
            return unsafe part.chunk.rows(from: rows[number] - part.firstRow)
        }
        switch plan {
        case .exact: return nil
        case .int8: return RowCodes(bytes: ByteCodes(source))
        case .binary:
            // Centre and rotation stay the same, because the plan's recall was measured with them.
            guard let bits = parts.first?.codes?.bits else { return nil }
            return RowCodes(
                bits: BitCodes(source, centre: bits.centre, seed: bits.seed) { number in
                    guard let part = part(holding: rows[number]), let known = part.codes?.bits else { return nil }
                    return (known, rows[number] - part.firstRow)
                })
        }
    }
}

/// Hands out rows to encode to all cores.
@safe private struct RowSource: Sendable {
    /// The number of rows that one thread encodes at a time.
    static let rowsAtOnce = 1024

    var rows: Int
    var dimensions: Int
    var row: @Sendable (Int) -> UnsafePointer<Float>

    /// Calls the body with each row, on several threads at once.
    func forEach(_ body: @Sendable (Int, UnsafeBufferPointer<Float>) -> Void) {
        DispatchQueue.concurrentPerform(iterations: (rows + Self.rowsAtOnce - 1) / Self.rowsAtOnce) { turn in
            for number in turn * Self.rowsAtOnce..<min(rows, (turn + 1) * Self.rowsAtOnce) {
                unsafe body(number, UnsafeBufferPointer(start: row(number), count: dimensions))
            }
        }
    }
}

extension ByteCodes {
    fileprivate init(_ source: RowSource) {
        let stride = Self.stride(forDimensions: source.dimensions)
        var factors = [Float](repeating: 0, count: source.rows)
        codes = unsafe Region(count: source.rows * stride) { bytes in
            unsafe factors.withUnsafeMutableBufferPointer { factors in
                // SAFETY: each call writes only to the row's own positions.
                nonisolated(unsafe) let (bytes, factors) = unsafe (bytes, factors)
                unsafe source.forEach { number, row in
                    let target = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: bytes[number * stride..<(number + 1) * stride])
                    unsafe factors[number] = unsafe Self.encode(
                        row, into: target.assumingMemoryBound(to: UInt8.self))
                }
            }
        }
        self.factors = Region(copying: factors)
    }
}

extension BitCodes {
    /// Encodes rows.
    ///
    /// - Parameter known: The codes that a row has already, with this centre and seed, and its place among them.
    fileprivate init(
        _ source: RowSource, centre: [Float], seed: UInt64,
        known: @Sendable (Int) -> (codes: BitCodes, row: Int)? = { _ in nil }
    ) {
        let dimensions = source.dimensions
        let rotation = Rotation(dimensions: dimensions, seed: seed)
        var factors = [Float](repeating: 0, count: source.rows)
        codes = unsafe Region(count: Self.bytes(forRows: source.rows, dimensions: dimensions)) { memory in
            let memory = unsafe memory.assumingMemoryBound(to: UInt8.self)
            unsafe factors.withUnsafeMutableBufferPointer { factors in
                // SAFETY: each call writes only to the row's own positions.
                nonisolated(unsafe) let (memory, factors) = unsafe (memory, factors)
                unsafe source.forEach { number, row in
                    if let (known, place) = known(number) {
                        unsafe Self.copy(
                            known.codes.values(of: UInt8.self), at: place, dimensions: dimensions, into: memory,
                            at: number)
                        unsafe factors[number] = known.factors.values(of: Float.self)[place]
                        return
                    }
                    unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: dimensions) { vector in
                        _ = unsafe vector.update(from: row)
                        unsafe factors[number] = unsafe Self.encode(
                            vector, centre: centre, rotation: rotation, into: memory, at: number)
                    }
                }
            }
        }
        self.factors = Region(copying: factors)
        self.centre = centre
        self.seed = seed
    }
}
