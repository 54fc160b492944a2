import Dispatch
import Synchronization

extension HybridIndex {
    /// The instruction set of the inner loops, for reports: `avx512`, `avx2`, `neon` or `generic`.
    public static var kernel: String { Kernels.best.name }

    /// The plans for which the rows have codes; the exact one always.
    public var availablePlans: [VectorPlan] {
        guard let vectors = snapshot.vectors else { return [.exact] }
        return VectorPlan.allCases.filter(vectors.hasCodes(for:))
    }

    /// Makes compressed copies of all rows, which a plan's first pass reads. Rows that come later have none and are
    /// scored exactly.
    ///
    /// Waits for a change that is under way, and changes wait for it; searches go on. Time grows with the rows: about
    /// 10 µs each on one core for bits.
    /// - Parameters:
    ///   - plans: Codes that other plans had are dropped.
    ///   - progress: Called now and then with rows that are done and all rows.
    public func encodeRows(for plans: Set<VectorPlan>, progress: (Int, Int) -> Void) {
        writing.withLock { _ in
            guard let vectors = snapshot.vectors else { return }
            let seed = UInt64(vectors.dimensions)
            let centre = plans.contains(.binary) ? vectors.meanRow() : []
            var done = 0
            let codes = vectors.parts.map { part in
                let codes = RowCodes(
                    bytes: plans.contains(.int8) ? ByteCodes(part) : nil,
                    bits: plans.contains(.binary) ? BitCodes(part, centre: centre, seed: seed) : nil)
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
    /// The mean of at most ten thousand rows, evenly spaced.
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

/// Rows that one thread encodes at a time.
private let rowsAtOnce = 1024

extension ByteCodes {
    fileprivate init(_ part: VectorIndex.Part) {
        let dimensions = part.chunk.dimensions
        let stride = Self.stride(forDimensions: dimensions)
        var factors = [Float](repeating: 0, count: part.rows)
        codes = unsafe Region(count: part.rows * stride) { bytes in
            unsafe factors.withUnsafeMutableBufferPointer { factors in
                // SAFETY: each iteration writes rows of its own.
                nonisolated(unsafe) let (bytes, factors) = unsafe (bytes, factors)
                DispatchQueue.concurrentPerform(iterations: (part.rows + rowsAtOnce - 1) / rowsAtOnce) { turn in
                    for row in turn * rowsAtOnce..<min(part.rows, (turn + 1) * rowsAtOnce) {
                        let target = unsafe UnsafeMutableRawBufferPointer(
                            rebasing: bytes[row * stride..<(row + 1) * stride])
                        unsafe factors[row] = unsafe Self.encode(
                            UnsafeBufferPointer(start: part.chunk.rows(from: row), count: dimensions),
                            into: target.assumingMemoryBound(to: UInt8.self))
                    }
                }
            }
        }
        self.factors = Region(copying: factors)
    }
}

extension BitCodes {
    fileprivate init(_ part: VectorIndex.Part, centre: [Float], seed: UInt64) {
        let words = Self.words(forDimensions: part.chunk.dimensions)
        let rotation = Rotation(dimensions: part.chunk.dimensions, seed: seed)
        var numbers = [Float](repeating: 0, count: part.rows * 2)
        codes = unsafe Region(count: part.rows * words * 8) { bytes in
            unsafe numbers.withUnsafeMutableBufferPointer { numbers in
                // SAFETY: each iteration writes rows of its own.
                nonisolated(unsafe) let (bytes, numbers) = unsafe (bytes, numbers)
                DispatchQueue.concurrentPerform(iterations: (part.rows + rowsAtOnce - 1) / rowsAtOnce) { turn in
                    for row in turn * rowsAtOnce..<min(part.rows, (turn + 1) * rowsAtOnce) {
                        let target = unsafe UnsafeMutableRawBufferPointer(
                            rebasing: bytes[row * words * 8..<(row + 1) * words * 8])
                        var vector = part.chunk.vectors(row..<row + 1)
                        let (factor, extra) = unsafe Self.encode(
                            &vector, centre: centre, rotation: rotation,
                            into: target.assumingMemoryBound(to: UInt64.self))
                        unsafe numbers[row] = factor
                        unsafe numbers[part.rows + row] = extra
                    }
                }
            }
        }
        factors = Region(copying: Array(numbers[..<part.rows]))
        extras = Region(copying: Array(numbers[part.rows...]))
        self.centre = centre
        self.seed = seed
    }
}
