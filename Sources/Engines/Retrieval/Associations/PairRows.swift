import CKernels
import Dispatch

/// The rows of a search for near pairs, in the order in which they are compared, with codes of one byte a component.
///
/// A row has a place, a document a number. The rows of a document have places one after another, and the documents whose
/// neighbours are searched come last.
///
/// SAFETY: `@unchecked Sendable` because all memory is written before the initialiser returns. The pointers to vectors are
/// valid as long as `vectors`, which is held.
@safe final class PairRows: @unchecked Sendable {
    /// Components beyond which sums of products of bytes could overflow 32 bits.
    static let maxDimensions = 65_536

    /// The ids of the documents, by their numbers.
    let ids: [Int64]
    /// Documents whose neighbours are searched; they are the last ones.
    let targets: Int
    /// For each document, its first place; at the end, the number of places.
    let starts: [Int32]
    /// For each place, its document.
    let documents: [Int32]
    /// Whether a document has several rows.
    let hasPassages: Bool
    /// Bytes of a row of codes.
    let stride: Int
    let dimensions: Int
    /// Panels whose codes are kept.
    private let heldPanels: Int

    private let vectors: VectorIndex
    private let floats: UnsafeMutablePointer<UnsafePointer<Float>>
    private let panels: UnsafeMutablePointer<UInt8>
    private let factors: UnsafeMutablePointer<Float>
    private let errors: UnsafeMutablePointer<Float>
    private let lengths: UnsafeMutablePointer<Float>

    /// Encodes rows.
    ///
    /// - Parameters:
    ///   - ordinals: Documents that have vectors, each once.
    ///   - targets: The number of documents at the end whose neighbours are searched.
    init(vectors: VectorIndex, ordinals: [Int], ids: Column<Int64>, targets: Int, limits: PairLimits) {
        self.vectors = vectors
        self.targets = targets
        self.ids = ordinals.map { ids[$0] }
        dimensions = vectors.dimensions
        stride = (dimensions + 3) / 4 * 4
        var (starts, documents) = ([Int32](), [Int32]())
        starts.reserveCapacity(ordinals.count + 1)
        for (number, ordinal) in ordinals.enumerated() {
            starts.append(Int32(documents.count))
            documents += repeatElement(Int32(number), count: vectors.rows(of: ordinal).count)
        }
        starts.append(Int32(documents.count))
        hasPassages = documents.count > ordinals.count
        (self.starts, self.documents) = (starts, documents)
        let count = documents.count
        unsafe floats = .allocate(capacity: count)
        for (number, ordinal) in ordinals.enumerated() {
            let rows = vectors.rows(of: ordinal)
            guard let part = vectors.part(holding: rows.lowerBound) else { continue }
            for row in rows {
                let place = Int(starts[number]) + row - rows.lowerBound
                unsafe (floats + place).initialize(to: part.chunk.rows(from: row - part.firstRow))
            }
        }
        let columns = Kernels.bytePanelColumns
        let wanted = (count + columns - 1) / columns
        // A single block meets each row once, so keeping codes would not pay.
        let isOnce = documents.count - Int(starts[ordinals.count - targets]) <= limits.blockRows
        heldPanels = isOnce ? 0 : min(wanted, limits.codeBytes / (columns * stride))
        unsafe panels = .allocate(capacity: max(1, heldPanels * columns * stride))
        let held = max(1, heldPanels * columns)
        unsafe factors = .allocate(capacity: held)
        unsafe errors = .allocate(capacity: held)
        unsafe lengths = .allocate(capacity: held)
        DispatchQueue.concurrentPerform(iterations: heldPanels) { panel in
            let (coder, first) = (Coder(self, rows: columns), panel * columns)
            unsafe coder.encode(
                first, into: panels + first * stride, factors: factors + first, errors: errors + first,
                lengths: lengths + first)
        }
    }

    deinit {
        unsafe floats.deallocate()
        unsafe panels.deallocate()
        unsafe factors.deallocate()
        unsafe errors.deallocate()
        unsafe lengths.deallocate()
    }

    /// The number of places.
    var count: Int { documents.count }

    /// The places of some documents.
    func places(of documents: Range<Int>) -> Range<Int> {
        Int(starts[documents.lowerBound])..<Int(starts[documents.upperBound])
    }

    /// The cosine of two rows, the same in both orders.
    func score(_ place: Int, _ other: Int) -> Float {
        var score: Float = 0
        unsafe Kernels.best.dotRows(
            floats[other], count: 1, dimensions: dimensions, query: floats[place], scores: &score)
        return score
    }

    /// Encodes a row. Rows with too many components keep the codes 0 and are always scored.
    fileprivate func encode(_ place: Int, into codes: UnsafeMutablePointer<Int8>, total: inout Int32)
        -> selene_coded_row
    {
        var coded = selene_coded_row()
        unsafe selene_encode_row(floats[place], dimensions, stride, codes, &total, &coded)
        guard dimensions > Self.maxDimensions else { return coded }
        unsafe codes.update(repeating: 0, count: stride)
        total = 0
        if coded.error >= 0 { coded.error = max(1, coded.length) }
        coded.factor = 0
        return coded
    }

    /// The codes of some panels: those that are kept, or made now.
    func withPanels(
        _ numbers: Range<Int>, _ coder: Coder,
        _ body: (
            UnsafePointer<UInt8>, _ factors: UnsafePointer<Float>, _ errors: UnsafePointer<Float>,
            _ lengths: UnsafePointer<Float>
        ) -> Void
    ) {
        let first = numbers.lowerBound * Kernels.bytePanelColumns
        if numbers.upperBound <= heldPanels {
            unsafe body(panels + first * stride, factors + first, errors + first, lengths + first)
            return
        }
        for number in numbers {
            let place = (number - numbers.lowerBound) * Kernels.bytePanelColumns
            unsafe coder.encode(
                number * Kernels.bytePanelColumns, into: coder.panels + place * stride, factors: coder.factors + place,
                errors: coder.errors + place, lengths: coder.lengths + place)
        }
        unsafe body(coder.panels, coder.factors, coder.errors, coder.lengths)
    }
}

/// Memory in which one thread encodes rows.
@safe final class Coder {
    let codes: UnsafeMutablePointer<Int8>
    let totals: UnsafeMutablePointer<Int32>
    let coded: UnsafeMutablePointer<selene_coded_row>
    fileprivate let panels: UnsafeMutablePointer<UInt8>
    fileprivate let factors: UnsafeMutablePointer<Float>
    fileprivate let errors: UnsafeMutablePointer<Float>
    fileprivate let lengths: UnsafeMutablePointer<Float>
    private let rows: PairRows

    /// Memory for the codes of `capacity` rows, and for `panelCount` panels.
    init(_ rows: PairRows, rows capacity: Int, panels panelCount: Int = 0) {
        self.rows = rows
        unsafe codes = .allocate(capacity: max(1, capacity * rows.stride))
        unsafe totals = .allocate(capacity: max(1, capacity))
        unsafe coded = .allocate(capacity: max(1, capacity))
        let columns = max(1, panelCount * Kernels.bytePanelColumns)
        unsafe panels = .allocate(capacity: columns * rows.stride)
        unsafe factors = .allocate(capacity: columns)
        unsafe errors = .allocate(capacity: columns)
        unsafe lengths = .allocate(capacity: columns)
    }

    deinit {
        unsafe codes.deallocate()
        unsafe totals.deallocate()
        unsafe coded.deallocate()
        unsafe panels.deallocate()
        unsafe factors.deallocate()
        unsafe errors.deallocate()
        unsafe lengths.deallocate()
    }

    /// Encodes rows as they are, for the side of the rows.
    func encode(_ places: Range<Int>) {
        for (number, place) in places.enumerated() {
            var total: Int32 = 0
            unsafe coded[number] = rows.encode(place, into: codes + number * rows.stride, total: &total)
            unsafe totals[number] = total
        }
    }

    /// Encodes the rows from a place on as one panel. Missing rows pass no screen.
    fileprivate func encode(
        _ first: Int, into panel: UnsafeMutablePointer<UInt8>, factors: UnsafeMutablePointer<Float>,
        errors: UnsafeMutablePointer<Float>, lengths: UnsafeMutablePointer<Float>
    ) {
        let columns = Kernels.bytePanelColumns
        let count = max(0, min(columns, rows.count - first))
        for column in 0..<columns {
            var row = selene_coded_row(factor: 0, error: -.infinity, length: 1, floor: 0)
            if column < count {
                var total: Int32 = 0
                unsafe row = rows.encode(first + column, into: codes + column * rows.stride, total: &total)
            }
            unsafe factors[column] = row.factor
            unsafe errors[column] = row.error
            unsafe lengths[column] = row.length
        }
        unsafe selene_pack_panel(codes, count, rows.stride, panel)
    }
}
