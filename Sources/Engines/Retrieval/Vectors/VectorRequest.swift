/// The nearest documents to one vector are sought.
struct VectorRequest: Sendable {
    /// A unit vector of the index's length.
    var query: [Float]
    /// Documents.
    var wanted: Int
    /// The documents that may be found; all that are there when nil.
    var passed: Bitmap?
    /// How the rows are read.
    var plan = VectorPlan.exact
}

/// The nearest documents, and what finding them took.
struct VectorLegResult: Sendable {
    /// Best first; equal cosines by id.
    var hits: [LegHit] = []
    /// Bytes of rows and codes that were read for this query alone, or for it together with others.
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
    /// Which of the document's passages it is about, counted from 0.
    var passage = 0
}
