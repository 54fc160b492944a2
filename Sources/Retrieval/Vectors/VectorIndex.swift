/// Unit vectors by ordinal in append-only chunks, and their exact cosines with a query.
///
/// A value: a copy is a snapshot that shares the chunks. Replacing a vector appends a new row; the old one stays until
/// ``compacted()`` and no longer counts, because ``rowOfOrdinal`` points elsewhere.
struct VectorIndex: Sendable {
    /// Bytes of a chunk: large enough that one BLAS call streams, small enough that its scores stay in the cache.
    static let chunkBytes = 16 << 20

    /// Candidates beyond those that are wanted, for those that only rounding keeps from the last places.
    static let spareCandidates = 32

    let dimensions: Int
    private let rowsPerChunk: Int
    private var chunks: [MatrixChunk] = []
    /// Row → ordinal.
    private var ordinals: [Int32] = []
    /// Ordinal → row; -1 for none.
    private var rowOfOrdinal: [Int32] = []
    /// Vectors that count.
    private(set) var count = 0

    init(dimensions: Int) {
        self.dimensions = dimensions
        rowsPerChunk = max(256, Self.chunkBytes / (max(1, dimensions) * MemoryLayout<Float>.stride))
    }

    /// Rows that are written, those that no longer count too.
    var rows: Int { ordinals.count }
    /// Bytes of all rows that are written.
    var bytes: Int { rows * dimensions * MemoryLayout<Float>.stride }

    /// Whether a document has a vector.
    func hasVector(_ ordinal: Int) -> Bool { ordinal < rowOfOrdinal.count && rowOfOrdinal[ordinal] >= 0 }

    /// Sets the vector of a document; it must be a unit vector of the index's length.
    mutating func set(_ unit: [Float], at ordinal: Int) {
        remove(at: ordinal)
        if rows == chunks.count * rowsPerChunk {
            chunks.append(MatrixChunk(capacity: rowsPerChunk, dimensions: dimensions))
        }
        let row = rows
        chunks[row / rowsPerChunk].write(unit, at: row % rowsPerChunk)
        ordinals.append(Int32(ordinal))
        while rowOfOrdinal.count <= ordinal { rowOfOrdinal.append(-1) }
        rowOfOrdinal[ordinal] = Int32(row)
        count += 1
    }

    /// Forgets the vector of a document.
    mutating func remove(at ordinal: Int) {
        guard hasVector(ordinal) else { return }
        rowOfOrdinal[ordinal] = -1
        count -= 1
    }

    /// The vector of a document.
    func vector(at ordinal: Int) -> [Float]? {
        guard hasVector(ordinal) else { return nil }
        let row = Int(rowOfOrdinal[ordinal])
        return chunks[row / rowsPerChunk].vector(at: row % rowsPerChunk)
    }

    /// Whether rows that no longer count are worth getting rid of: more than a quarter, and more than a chunk.
    var wantsCompaction: Bool { rows - count > max(rows / 4, rowsPerChunk) }

    /// The same vectors without the rows that no longer count.
    func compacted() -> VectorIndex {
        var fresh = VectorIndex(dimensions: dimensions)
        for (row, ordinal) in ordinals.enumerated() where rowOfOrdinal[Int(ordinal)] == Int32(row) {
            fresh.set(chunks[row / rowsPerChunk].vector(at: row % rowsPerChunk), at: Int(ordinal))
        }
        return fresh
    }

    /// The documents with the greatest cosines, best first; equal ones by id.
    ///
    /// Reads every row once through BLAS, or only the rows of the documents that pass, when few do. The last bits of a
    /// matrix product depend on where a row lies, so the candidates, with some to spare, are scored anew one by one: a
    /// document's score does not depend on its place or on the filter, and equal vectors tie.
    /// - Parameters:
    ///   - query: A unit vector.
    ///   - passed: The documents that may be found; all of the catalog when nil.
    func nearest(
        to query: [Float], count wanted: Int, passed: Bitmap?, catalog: Catalog
    ) -> (hits: [LegHit], bytesScanned: Int) {
        let rowBytes = dimensions * MemoryLayout<Float>.stride
        if let passed, passed.count * 8 < count {
            var best = TopK<Int64>(wanted)
            var read = 0
            passed.forEach { ordinal in
                guard hasVector(ordinal) else { return }
                best.offer(.init(score: score(of: query, at: ordinal), key: catalog.ids[ordinal], payload: ordinal))
                read += 1
            }
            return (best.legHits, read * rowBytes)
        }
        guard wanted > 0 else { return ([], 0) }
        var best = TopK<Int64>(wanted + Self.spareCandidates)
        var scores = [Float](repeating: 0, count: min(rows, rowsPerChunk))
        for (number, chunk) in chunks.enumerated() {
            let first = number * rowsPerChunk
            let inChunk = min(rowsPerChunk, rows - first)
            guard inChunk > 0 else { break }
            chunk.scores(of: query, rows: inChunk, into: &scores)
            // Almost every score is below the threshold: that test comes first and alone.
            for index in 0..<inChunk where scores[index] >= best.threshold {
                let ordinal = Int(ordinals[first + index])
                guard rowOfOrdinal[ordinal] == Int32(first + index), passed?[ordinal] ?? catalog.isAlive[ordinal]
                else { continue }
                best.offer(.init(score: scores[index], key: catalog.ids[ordinal], payload: ordinal))
            }
        }
        var rescored = TopK<Int64>(wanted)
        for entry in best.sorted() {
            rescored.offer(.init(score: score(of: query, at: entry.payload), key: entry.key, payload: entry.payload))
        }
        return (rescored.legHits, bytes)
    }

    /// The cosine of a document's vector, which it must have, with a unit vector.
    private func score(of query: [Float], at ordinal: Int) -> Float {
        let row = Int(rowOfOrdinal[ordinal])
        return chunks[row / rowsPerChunk].score(of: query, row: row % rowsPerChunk)
    }
}

/// A candidate of one leg.
struct LegHit: Sendable, Equatable {
    var ordinal: Int
    var score: Double
}

extension TopK {
    /// The entries as candidates, their payload being the ordinal.
    var legHits: [LegHit] { sorted().map { LegHit(ordinal: $0.payload, score: Double($0.score)) } }
}
