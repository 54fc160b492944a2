#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Rows of vectors with the ordinals of their documents, in memory that never moves. A chunk is either a complete part
/// of an index file or memory to which rows are appended.
///
/// SAFETY: `@unchecked Sendable` rests on one rule that ``VectorIndex`` keeps. A row is written only once, before any
/// snapshot counts it, by the one writer that holds the index's lock. Readers only read rows that their snapshot
/// counts.
@safe final class MatrixChunk: @unchecked Sendable {
    /// The size of a huge page, so that huge pages can back the memory.
    private static let pageBytes = 2 << 20

    /// The number of rows that fit.
    let capacity: Int
    let dimensions: Int
    private let floats: UnsafePointer<Float>
    private let ordinals: UnsafePointer<Int32>
    private let memory: Memory

    @safe private enum Memory {
        case own(floats: UnsafeMutablePointer<Float>, ordinals: UnsafeMutablePointer<Int32>)
        case regions(Region, Region)
    }

    /// Allocates memory for rows.
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
        // With pages of 4 KB a scan would look up half a million addresses in each 2 GB. A refusal is not an error.
        unsafe madvise(rows, capacity * dimensions * MemoryLayout<Float>.stride, MADV_HUGEPAGE)
        #endif
        unsafe floats = UnsafePointer(rows)
        unsafe ordinals = UnsafePointer(numbers)
        unsafe memory = .own(floats: rows, ordinals: numbers)
    }

    /// Uses existing rows; nil when the two regions differ in their number of rows.
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
        // A candidate's row would else be read together with its neighbours, thirty times its bytes.
        if vectors.isMapped {
            unsafe madvise(UnsafeMutableRawPointer(mutating: vectorBase), vectors.count, MADV_RANDOM)
        }
    }

    /// Lets the disk read rows of a file, which come ascending, before they are needed. Rows in memory need nothing.
    func willRead(_ rows: some Sequence<Int>) {
        guard case .regions(let region, _) = memory, region.isMapped else { return }
        let (rowBytes, page) = (dimensions * MemoryLayout<Float>.stride, Self.filePage)
        var waiting = 0..<0
        func advise() {
            guard !waiting.isEmpty, let base = unsafe region.bytes.baseAddress else { return }
            unsafe madvise(UnsafeMutableRawPointer(mutating: base + waiting.lowerBound), waiting.count, MADV_WILLNEED)
        }
        // Sections begin with a page, so offsets in the region are offsets in pages.
        for row in rows where row >= 0 && row < capacity {
            let pages =
                row * rowBytes / page * page..<min(region.count, ((row + 1) * rowBytes + page - 1) / page * page)
            if pages.lowerBound <= waiting.upperBound, !waiting.isEmpty {
                waiting = waiting.lowerBound..<max(waiting.upperBound, pages.upperBound)
            } else {
                advise()
                waiting = pages
            }
        }
        advise()
    }

    /// The same for rows one after another; those that do not exist are left out.
    func willRead(from row: Int, count: Int) {
        guard case .regions(let region, _) = memory, region.isMapped, row < capacity,
            let base = unsafe region.bytes.baseAddress
        else { return }
        let rowBytes = dimensions * MemoryLayout<Float>.stride
        let start = row * rowBytes / Self.filePage * Self.filePage
        let end = min(region.count, (row + count) * rowBytes)
        unsafe madvise(UnsafeMutableRawPointer(mutating: base + start), end - start, MADV_WILLNEED)
    }

    private static let filePage = max(4096, Int(getpagesize()))

    deinit {
        if case .own(let floats, let ordinals) = memory {
            unsafe floats.deallocate()
            unsafe ordinals.deallocate()
        }
    }

    /// Writes a row that no snapshot counts yet. Rows of a file are never written.
    func write(_ vector: ArraySlice<Float>, ordinal: Int, at row: Int) {
        precondition(row < capacity && vector.count == dimensions)
        guard case .own(let floats, let ordinals) = memory else { return }
        unsafe vector.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            unsafe (floats + row * dimensions).update(from: base, count: dimensions)
        }
        unsafe ordinals[row] = Int32(ordinal)
    }

    /// The vectors from a row on, one after another.
    func rows(from row: Int) -> UnsafePointer<Float> { unsafe floats + row * dimensions }

    /// The bytes of the vectors of some rows.
    func bytes(_ rows: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            UnsafeBufferPointer(start: floats + rows.lowerBound * dimensions, count: rows.count * dimensions))
    }

    /// The document of a row.
    func ordinal(at row: Int) -> Int { unsafe Int(ordinals[row]) }

    /// A copy of the vectors of some rows.
    func vectors(_ rows: Range<Int>) -> [Float] {
        unsafe Array(UnsafeBufferPointer(start: floats + rows.lowerBound * dimensions, count: rows.count * dimensions))
    }

    /// The cosine of one row with a unit vector, equal to the score of a scan.
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
