/// Unit vectors by ordinal in append-only chunks.
///
/// A value: a copy is a snapshot that shares the chunks. A document has one row for each of its passages, one after
/// another. Replacing a document's vectors appends rows. The old rows are dead, because the document's first row is
/// another one, and stay until ``compacted()``.
struct VectorIndex: Sendable {
    /// The size of an appendable chunk in bytes.
    static let chunkBytes = 16 << 20
    /// The largest number of passages of a document; later ones are dropped.
    static let maxPassages = 1024

    /// The rows of a chunk that this snapshot counts.
    struct Part: Sendable {
        var chunk: MatrixChunk
        var firstRow: Int
        var rows: Int
        /// Compressed copies of all rows, once they are made.
        var codes: RowCodes?
    }

    let dimensions: Int
    private(set) var parts: [Part] = []
    /// Ordinal → its first row; -1 for none.
    private var firstRows = Column<Int32>()
    /// Ordinal → its number of rows.
    private var passages = Column<UInt16>()
    /// Documents that have vectors.
    private(set) var count = 0
    private(set) var liveRows = 0
    /// All written rows, dead ones included.
    private(set) var rows = 0
    /// Whether any document ever had several rows.
    private(set) var hasPassages = false

    init(dimensions: Int) { self.dimensions = dimensions }

    /// Creates an index over existing rows: those of ordinal 0, then of 1, and so on. Ordinals may have no rows.
    ///
    /// - Returns: nil when the ordinals are not ascending or reach `documents`.
    init?(chunk: MatrixChunk, codes: RowCodes?, documents: Int) {
        dimensions = chunk.dimensions
        var firstRows = [Int32](repeating: -1, count: documents)
        var passages = [UInt16](repeating: 0, count: documents)
        var last = -1
        for row in 0..<chunk.capacity {
            let ordinal = chunk.ordinal(at: row)
            guard ordinal >= last, ordinal >= 0, ordinal < documents, passages[ordinal] < UInt16.max else { return nil }
            if ordinal > last {
                firstRows[ordinal] = Int32(row)
                count += 1
            } else {
                hasPassages = true
            }
            passages[ordinal] += 1
            last = ordinal
        }
        (self.firstRows, self.passages) = (Column(firstRows), Column(passages))
        parts = [Part(chunk: chunk, firstRow: 0, rows: chunk.capacity, codes: codes)]
        rows = chunk.capacity
        liveRows = rows
        startsWithFile = true
    }

    private var rowsPerChunk: Int {
        max(256, Self.chunkBytes / (max(1, dimensions) * MemoryLayout<Float>.stride))
    }

    /// Bytes of all written rows.
    var bytes: Int { rows * dimensions * MemoryLayout<Float>.stride }

    /// Bytes of the compressed rows.
    var codeBytes: Int {
        parts.reduce(0) { sum, part in
            let bytes = part.codes?.bytes.map { $0.codes.count + $0.factors.count } ?? 0
            let bits = part.codes?.bits.map { $0.codes.count + $0.factors.count } ?? 0
            return sum + bytes + bits
        }
    }

    /// Sets the compressed rows of each part.
    mutating func setCodes(_ codes: [RowCodes]) {
        for (number, codes) in zip(parts.indices, codes) {
            parts[number].codes = codes.bytes == nil && codes.bits == nil ? nil : codes
        }
    }

    /// Whether the rows of the index file, which come first, have codes for a plan.
    func hasCodes(for plan: VectorPlan) -> Bool {
        switch plan {
        case .exact: true
        case .int8: parts.first?.codes?.bytes != nil
        case .binary: parts.first?.codes?.bits != nil
        }
    }

    /// Whether a document has a vector.
    func hasVector(_ ordinal: Int) -> Bool { ordinal < firstRows.count && firstRows[ordinal] >= 0 }

    /// The rows of a document.
    func rows(of ordinal: Int) -> Range<Int> {
        guard hasVector(ordinal) else { return 0..<0 }
        let first = Int(firstRows[ordinal])
        return first..<first + Int(passages[ordinal])
    }

    /// Sets the vectors of a document: unit vectors of the index's length, one after another.
    mutating func set(_ units: [Float], at ordinal: Int) {
        remove(at: ordinal)
        let wanted = min(units.count / dimensions, Self.maxPassages)
        guard wanted > 0 else { return }
        // The rows of a document lie in one chunk.
        if (parts.last.map { $0.chunk.capacity - $0.rows } ?? 0) < wanted || parts.last?.codes != nil {
            let chunk = MatrixChunk(capacity: max(rowsPerChunk, wanted), dimensions: dimensions)
            parts.append(Part(chunk: chunk, firstRow: rows, rows: 0))
        }
        let last = parts.count - 1
        for passage in 0..<wanted {
            parts[last].chunk.write(
                units[passage * dimensions..<(passage + 1) * dimensions], ordinal: ordinal,
                at: parts[last].rows + passage)
        }
        while firstRows.count <= ordinal {
            firstRows.append(-1)
            passages.append(0)
        }
        firstRows[ordinal] = Int32(rows)
        passages[ordinal] = UInt16(wanted)
        parts[last].rows += wanted
        rows += wanted
        liveRows += wanted
        count += 1
        if wanted > 1 { hasPassages = true }
    }

    /// Removes the vectors of a document.
    mutating func remove(at ordinal: Int) {
        guard hasVector(ordinal) else { return }
        liveRows -= Int(passages[ordinal])
        firstRows[ordinal] = -1
        passages[ordinal] = 0
        count -= 1
    }

    /// The vectors of a document, one after another; nil when it has none.
    func vectors(at ordinal: Int) -> [Float]? {
        let rows = rows(of: ordinal)
        guard let part = part(holding: rows.lowerBound), !rows.isEmpty else { return nil }
        return part.chunk.vectors(rows.lowerBound - part.firstRow..<rows.upperBound - part.firstRow)
    }

    /// The vector of a row; nil for a row that does not exist.
    func vector(row: Int) -> [Float]? {
        guard let part = part(holding: row), row >= part.firstRow else { return nil }
        return part.chunk.vectors(row - part.firstRow..<row - part.firstRow + 1)
    }

    /// Whether a row is a live row of a document.
    func isCurrent(row: Int, of ordinal: Int) -> Bool {
        let first = Int(firstRows[ordinal])
        return first >= 0 && row >= first && row < first + Int(passages[ordinal])
    }

    /// The cosine of a row with a unit vector.
    func score(of query: [Float], row: Int) -> Float {
        guard let part = part(holding: row) else { return -1 }
        return part.chunk.score(of: query, row: row - part.firstRow)
    }

    /// Lets the disk read some rows of an index file, which come ascending, all at once.
    func willRead(_ rows: some Sequence<Int>) {
        guard let part = parts.first, startsWithFile else { return }
        part.chunk.willRead(rows.prefix { $0 < part.rows })
    }

    /// The part that holds a row.
    func part(holding row: Int) -> Part? {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].firstRow + parts[middle].rows <= row { low = middle + 1 } else { high = middle }
        }
        return low < parts.count ? parts[low] : nil
    }

    /// Whether compaction pays: more than a quarter of the rows, and more than a chunk, are dead. Dead rows of a file
    /// go when the file is rewritten.
    var wantsCompaction: Bool { !startsWithFile && rows - liveRows > max(rows / 4, rowsPerChunk) }

    /// Whether the first rows are those of an index file.
    private(set) var startsWithFile = false

    /// The same vectors without dead rows.
    func compacted() -> VectorIndex {
        var fresh = VectorIndex(dimensions: dimensions)
        for ordinal in 0..<firstRows.count {
            if let vectors = vectors(at: ordinal) { fresh.set(vectors, at: ordinal) }
        }
        return fresh
    }
}
