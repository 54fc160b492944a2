#if canImport(Glibc)
import Glibc
#endif

/// A number of rows, each a vector with the ordinal of its document, in memory that never moves: either a part of an
/// index file, complete, or memory to which rows are appended.
///
/// SAFETY: `@unchecked Sendable` rests on one rule that ``VectorIndex`` keeps: a row is written once, by the one writer
/// that holds the index's lock, before any snapshot counts it, and never again. Readers look at the rows that their
/// snapshot counts only.
@safe final class MatrixChunk: @unchecked Sendable {
    /// A huge page, so that the memory can consist of them.
    private static let pageBytes = 2 << 20

    /// Rows that fit.
    let capacity: Int
    let dimensions: Int
    private let floats: UnsafePointer<Float>
    private let ordinals: UnsafePointer<Int32>
    private let memory: Memory

    @safe private enum Memory {
        case own(floats: UnsafeMutablePointer<Float>, ordinals: UnsafeMutablePointer<Int32>)
        case regions(Region, Region)
    }

    /// Memory for rows to come.
    init(capacity: Int, dimensions: Int) {
        self.capacity = capacity
        self.dimensions = dimensions
        func allocate<Value>(_ count: Int, of _: Value.Type) -> UnsafeMutablePointer<Value> {
            let bytes = UnsafeMutableRawPointer.allocate(
                byteCount: max(1, count) * MemoryLayout<Value>.stride, alignment: Self.pageBytes)
            return unsafe bytes.bindMemory(to: Value.self, capacity: max(1, count))
        }
        let (rows, numbers) = unsafe (
            allocate(capacity * dimensions, of: Float.self), allocate(capacity, of: Int32.self)
        )
        #if canImport(Glibc)
        // With pages of 4 KB a scan would look up half a million addresses in each 2 GB; not an error when refused.
        unsafe madvise(rows, capacity * dimensions * MemoryLayout<Float>.stride, MADV_HUGEPAGE)
        #endif
        unsafe floats = UnsafePointer(rows)
        unsafe ordinals = UnsafePointer(numbers)
        unsafe memory = .own(floats: rows, ordinals: numbers)
    }

    /// Rows that are there already; nil when the regions do not have the same number of them.
    init?(vectors: Region, ordinals numbers: Region, dimensions: Int) {
        let rows = numbers.count / MemoryLayout<Int32>.stride
        guard dimensions > 0, rows > 0, vectors.count == rows * dimensions * MemoryLayout<Float>.stride,
            let vectorBase = unsafe vectors.values(of: Float.self).baseAddress,
            let ordinalBase = unsafe numbers.values(of: Int32.self).baseAddress
        else { return nil }
        capacity = rows
        self.dimensions = dimensions
        unsafe floats = vectorBase
        unsafe ordinals = ordinalBase
        memory = .regions(vectors, numbers)
    }

    deinit {
        if case .own(let floats, let ordinals) = memory {
            unsafe floats.deallocate()
            unsafe ordinals.deallocate()
        }
    }

    /// Writes a row that no snapshot counts yet; rows of a file are never written.
    func write(_ vector: ArraySlice<Float>, ordinal: Int, at row: Int) {
        precondition(row < capacity && vector.count == dimensions)
        guard case .own(let floats, let ordinals) = memory else { return }
        unsafe vector.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            unsafe (floats + row * dimensions).update(from: base, count: dimensions)
        }
        unsafe ordinals[row] = Int32(ordinal)
    }

    /// The rows' vectors, one after another.
    func rows(from row: Int) -> UnsafePointer<Float> { unsafe floats + row * dimensions }

    /// The bytes of some rows' vectors.
    func bytes(_ rows: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            UnsafeBufferPointer(start: floats + rows.lowerBound * dimensions, count: rows.count * dimensions))
    }

    /// The document of a row.
    func ordinal(at row: Int) -> Int { unsafe Int(ordinals[row]) }

    /// A copy of some rows' vectors.
    func vectors(_ rows: Range<Int>) -> [Float] {
        unsafe Array(UnsafeBufferPointer(start: floats + rows.lowerBound * dimensions, count: rows.count * dimensions))
    }

    /// The cosine of one row with a unit vector, the same as a scan gives it.
    func score(of query: [Float], row: Int) -> Float {
        var score: Float = 0
        unsafe query.withUnsafeBufferPointer { query in
            guard let query = query.baseAddress else { return }
            unsafe Kernels.best.dotRows(
                floats + row * dimensions, count: 1, dimensions: dimensions, query: query, scores: &score)
        }
        return score
    }
}
