import CKernels

/// The inner loops of the scan for one instruction set.
///
/// SAFETY: `@unchecked Sendable` because the table is a constant of the program.
@safe struct Kernels: @unchecked Sendable {
    /// The largest number of queries in a panel.
    static let maxPanelWidth = 64
    /// The width of a panel is a multiple of this.
    static let panelStep = 16
    /// The bytes of a row of bytes, and of its query, are a multiple of this.
    static let byteStride = 64
    static let bytePanelColumns = 32

    /// The instruction sets that this processor supports, best first; the last one is plain C.
    static let available: [Kernels] = {
        guard var next = unsafe selene_kernels_available() else { return [] }
        var found: [Kernels] = []
        while let table = unsafe next.pointee {
            unsafe found.append(Kernels(table: table))
            unsafe next += 1
        }
        return found
    }()

    /// The best instruction set.
    static let best = available[0]

    private let table: UnsafePointer<selene_kernels>

    /// `avx512`, `avx2`, `neon` or `generic`.
    var name: String { unsafe String(cString: table.pointee.name) }

    /// Computes `scores[i] = rows[i] · query` for `count` rows of `dimensions` floats. Equal rows get equal scores.
    func dotRows(
        _ rows: UnsafePointer<Float>, count: Int, dimensions: Int, query: UnsafePointer<Float>,
        scores: UnsafeMutablePointer<Float>
    ) {
        unsafe table.pointee.dot_rows(rows, count, dimensions, query, scores)
    }

    /// Computes `scores[i * width + j] = rows[i] · query j`, where `panel[k * width + j]` is component k of query j.
    func dotPanel(
        _ rows: UnsafePointer<Float>, count: Int, dimensions: Int, panel: UnsafePointer<Float>, width: Int,
        scores: UnsafeMutablePointer<Float>
    ) {
        unsafe table.pointee.dot_panel(rows, count, dimensions, panel, width, scores)
    }

    /// Computes `sums[i] = Σ (rows[i][k] − 128) · query[k]`; `stride` is a multiple of ``byteStride``.
    func dotBytes(
        _ rows: UnsafePointer<UInt8>, count: Int, stride: Int, query: UnsafePointer<Int8>,
        sums: UnsafeMutablePointer<Int32>
    ) {
        unsafe table.pointee.dot_bytes(rows, count, stride, query, sums)
    }

    /// Adds up the entries of tables that the bytes of rows choose, for `count` blocks of 32 rows (``BitCodes``); `columns`
    /// is a multiple of 16 and no entry above 127.
    func sumTables(
        _ blocks: UnsafePointer<UInt8>, count: Int, columns: Int, tables: UnsafePointer<UInt8>,
        sums: UnsafeMutablePointer<Int32>
    ) {
        unsafe table.pointee.sum_tables(blocks, count, columns, tables, sums)
    }

    /// Computes `sums[i * 32 + j]`, the product of row *i* with column *j* of a panel that ``packPanel`` wrote; `totals[i]`
    /// is the sum of row *i*, and `stride` a multiple of 4.
    func dotBytePanel(
        _ rows: UnsafePointer<Int8>, totals: UnsafePointer<Int32>, count: Int, stride: Int,
        panel: UnsafePointer<UInt8>, sums: UnsafeMutablePointer<Int32>
    ) {
        unsafe table.pointee.dot_byte_panel(rows, totals, count, stride, panel, sums)
    }

    /// The bits of the columns of a panel whose inner product with a row may reach the floor of one of both.
    func screen(_ sums: UnsafePointer<Int32>, _ row: selene_coded_row, _ columns: selene_coded_columns) -> UInt32 {
        unsafe table.pointee.screen(sums, row, columns)
    }

    /// Screens every row with every column of some panels. Writes `row << 16 | column` of each pair that passes, and returns
    /// their number; `places` has room for all pairs.
    func screenPairs(
        _ rows: UnsafePointer<Int8>, totals: UnsafePointer<Int32>, coded: UnsafePointer<selene_coded_row>, count: Int,
        stride: Int, panels: UnsafePointer<UInt8>, columns: selene_coded_columns, panelCount: Int,
        places: UnsafeMutablePointer<UInt32>
    ) -> Int {
        unsafe selene_screen_pairs(
            table, rows, totals, coded, count, stride, panels, columns, panelCount, places)
    }

    /// Reads every byte once, to measure bandwidth.
    func read(_ bytes: UnsafeRawBufferPointer) -> UInt64 { unsafe table.pointee.read(bytes.baseAddress, bytes.count) }
}
