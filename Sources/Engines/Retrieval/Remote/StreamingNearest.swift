/// The nearest documents of several queries among vectors that pass by once, such as rows of a server.
///
/// Each chunk of rows is multiplied with all queries at once, so time grows with rows × queries × dimensions, and memory only
/// with the queries and the chunk. A document's score is that of its best passage.
package struct StreamingNearest: Sendable {
    /// A document with its cosine.
    package struct Hit: Sendable, Hashable {
        package var id: Int64
        package var score: Float
    }

    private let dimensions: Int
    private let wanted: Int
    private let count: Int
    /// The queries as unit vectors, one in each column: `dimensions × count` floats.
    private let panel: [Float]
    private var best: [TopK<Int64>]
    /// The document whose passages are passing, and its best cosine with each query.
    private var document: Int64?
    private var passing: [Float]
    private var rows: [Float] = []
    private var ids: [Int64] = []
    private var scores: [Float] = []

    /// - Parameters:
    ///   - queries: Vectors of equal length. One without a direction has no nearest documents.
    ///   - wanted: The number of documents of each query.
    package init(queries: [[Float]], dimensions: Int, wanted: Int) {
        (self.dimensions, self.wanted, count) = (max(1, dimensions), wanted, queries.count)
        var panel = [Float](repeating: 0, count: self.dimensions * queries.count)
        for (column, query) in queries.enumerated() {
            guard query.count == dimensions, let unit = UnitVector.normalised(query) else { continue }
            for (row, value) in unit.enumerated() { panel[row * queries.count + column] = value }
        }
        self.panel = panel
        best = queries.map { _ in TopK(wanted) }
        passing = Array(repeating: -.infinity, count: queries.count)
    }

    /// Adds rows. The passages of a document follow each other, also from one call to the next. Rows of another length and
    /// those without a direction are left out.
    package mutating func add(_ passages: [(document: Int64, vector: [Float])]) {
        rows.removeAll(keepingCapacity: true)
        ids.removeAll(keepingCapacity: true)
        for (document, vector) in passages {
            guard vector.count == dimensions, let unit = UnitVector.normalised(vector) else { continue }
            rows += unit
            ids.append(document)
        }
        guard !ids.isEmpty, count > 0 else { return }
        multiply()
        for (row, id) in ids.enumerated() {
            if id != document { finishDocument(next: id) }
            for query in 0..<count { passing[query] = max(passing[query], scores[row * count + query]) }
        }
    }

    private mutating func multiply() {
        let needed = ids.count * count
        if scores.count < needed { scores = Array(repeating: 0, count: needed) }
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe panel.withUnsafeBufferPointer { panel in
                unsafe scores.withUnsafeMutableBufferPointer { scores in
                    guard let rows = rows.baseAddress, let panel = panel.baseAddress, let scores = scores.baseAddress
                    else { return }
                    unsafe BLAS.multiply(
                        rows, count: ids.count, dimensions: dimensions, panel: panel, width: count, into: scores)
                }
            }
        }
    }

    private mutating func finishDocument(next: Int64?) {
        if let document {
            for query in 0..<count where passing[query] >= best[query].threshold {
                best[query].offer(.init(score: passing[query], key: document, payload: 0))
            }
        }
        document = next
        for query in 0..<count { passing[query] = -.infinity }
    }

    /// The nearest documents of each query, best first, equal ones by id. Call it once, after the last rows.
    package mutating func finish() -> [[Hit]] {
        finishDocument(next: nil)
        return best.map { top in top.sorted().map { Hit(id: $0.key, score: $0.score) } }
    }
}
