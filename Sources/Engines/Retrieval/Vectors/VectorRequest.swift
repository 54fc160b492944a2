/// A search for the documents nearest to one vector.
struct VectorRequest: Sendable {
    /// A unit vector of the index's length.
    var query: [Float]
    /// The number of documents.
    var wanted: Int
    /// The documents that may be found; nil means all.
    var passed: Bitmap?
    /// How the rows are read.
    var plan = VectorPlan.exact
}

/// The nearest documents, with the cost of the search.
struct VectorLegResult: Sendable {
    /// Best first; equal cosines by id.
    var hits: [LegHit] = []
    /// Bytes of rows and codes read by the pass, including reads shared with other queries.
    var bytesScanned = 0
    /// Queries that shared the pass.
    var batch = 1
    /// How the rows were read.
    var plan = VectorPlan.exact
}

/// A candidate of one leg.
struct LegHit: Sendable, Equatable {
    var ordinal: Int
    var score: Double
    /// The index of the matching passage in the document, from 0.
    var passage = 0
}
