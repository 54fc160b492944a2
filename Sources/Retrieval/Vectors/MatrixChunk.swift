/// A fixed number of vectors, row after row, in memory that never moves. Rows are only ever appended.
///
/// SAFETY: `@unchecked Sendable` rests on one rule that ``VectorIndex`` keeps: a row is written once, by the one writer
/// that holds the index's lock, before any snapshot counts it, and never again. Readers look at the rows that their
/// snapshot counts only.
@safe final class MatrixChunk: @unchecked Sendable {
    let capacity: Int
    let dimensions: Int
    private let memory: UnsafeMutableRawBufferPointer
    private let floats: UnsafeMutablePointer<Float>

    init(capacity: Int, dimensions: Int) {
        self.capacity = capacity
        self.dimensions = dimensions
        unsafe memory = .allocate(byteCount: max(64, capacity * dimensions * MemoryLayout<Float>.stride), alignment: 64)
        unsafe floats = memory.baseAddress.unsafelyUnwrapped.bindMemory(
            to: Float.self, capacity: capacity * dimensions)
    }

    deinit { unsafe memory.deallocate() }

    /// Writes a row that no snapshot counts yet.
    func write(_ vector: [Float], at row: Int) {
        precondition(row < capacity && vector.count == dimensions)
        unsafe vector.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            unsafe (floats + row * dimensions).update(from: base, count: dimensions)
        }
    }

    /// The cosines of the first `rows` rows with a unit vector.
    func scores(of query: [Float], rows: Int, into result: inout [Float]) {
        unsafe query.withUnsafeBufferPointer { query in
            unsafe result.withUnsafeMutableBufferPointer { result in
                guard let query = query.baseAddress, let result = result.baseAddress else { return }
                unsafe BLAS.multiply(floats, rows: rows, columns: dimensions, by: query, into: result)
            }
        }
    }

    /// The cosine of one row with a unit vector.
    func score(of query: [Float], row: Int) -> Float {
        unsafe query.withUnsafeBufferPointer { query in
            guard let query = query.baseAddress else { return 0 }
            return unsafe BLAS.dot(floats + row * dimensions, query, count: dimensions)
        }
    }

    /// A copy of one row.
    func vector(at row: Int) -> [Float] {
        unsafe Array(UnsafeBufferPointer(start: floats + row * dimensions, count: dimensions))
    }
}
