import CKernels

/// The inner loops of the scan for one instruction set.
///
/// SAFETY: `@unchecked Sendable` because the table is a constant of the program.
@safe struct Kernels: @unchecked Sendable {
    /// Queries that one panel holds at most.
    static let maxPanelWidth = 64
    /// The width of a panel is a multiple of this.
    static let panelStep = 16
    /// Bytes of a row of bytes, and of the query for it, are a multiple of this.
    static let byteStride = 64
    /// Bit planes of a query for rows of bits.
    static let planes = 4

    /// The sets that this processor can run, best first; the last one is plain C.
    static let available: [Kernels] = {
        guard var next = unsafe selene_kernels_available() else { return [] }
        var found: [Kernels] = []
        while let table = unsafe next.pointee {
            unsafe found.append(Kernels(table: table))
            unsafe next += 1
        }
        return found
    }()

    /// The best set.
    static let best = available[0]

    private let table: UnsafePointer<selene_kernels>

    /// `avx512`, `avx2`, `neon` or `generic`.
    var name: String { unsafe String(cString: table.pointee.name) }

    /// `scores[i] = rows[i] · query` for `count` rows of `dimensions` floats. Equal rows get equal scores.
    func dotRows(
        _ rows: UnsafePointer<Float>, count: Int, dimensions: Int, query: UnsafePointer<Float>,
        scores: UnsafeMutablePointer<Float>
    ) {
        unsafe table.pointee.dot_rows(rows, count, dimensions, query, scores)
    }

    /// `scores[i * width + j] = rows[i] · query j`, where `panel[k * width + j]` is component k of query j.
    func dotPanel(
        _ rows: UnsafePointer<Float>, count: Int, dimensions: Int, panel: UnsafePointer<Float>, width: Int,
        scores: UnsafeMutablePointer<Float>
    ) {
        unsafe table.pointee.dot_panel(rows, count, dimensions, panel, width, scores)
    }

    /// `sums[i] = Σ (rows[i][k] − 128) · query[k]`; `stride` is a multiple of ``byteStride``.
    func dotBytes(
        _ rows: UnsafePointer<UInt8>, count: Int, stride: Int, query: UnsafePointer<Int8>,
        sums: UnsafeMutablePointer<Int32>
    ) {
        unsafe table.pointee.dot_bytes(rows, count, stride, query, sums)
    }

    /// `sums[i] = Σ 2^p · |rows[i] ∧ plane p|` for ``planes`` planes; `words` is a multiple of 2.
    func dotBits(
        _ rows: UnsafePointer<UInt64>, count: Int, words: Int, planes: UnsafePointer<UInt64>,
        sums: UnsafeMutablePointer<Int32>
    ) {
        unsafe table.pointee.dot_bits(rows, count, words, planes, sums)
    }

    /// Reads every byte once.
    func read(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe table.pointee.read(bytes.baseAddress, bytes.count) }
}
