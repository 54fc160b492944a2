import Testing

@testable import Retrieval

/// Retrieval quality on collections with judgements. Skipped where they are absent: they are not part of the repository.
@Suite(.enabled(if: Collection.isPresent, "no collections beside the repository: quality is not measured here"))
struct RetrievalQuality {
    /// Floors a little under what was measured, so that a change for the worse is seen.
    @Test(arguments: [("cranfield", 0.40), ("cacm", 0.50), ("negconstraint", 0.75)])
    func `fusion does no harm, and the default does well`(name: String, floor: Double) throws {
        let collection = try Collection(name)
        #expect(collection.queries.count > 50)
        let (vector, keyword) = (try collection.meanNDCG(.vector), try collection.meanNDCG(.keyword))
        for fusion in [FusionMethod.rrf(k: 60), .convex(alpha: 0.5), .dbsf] {
            let hybrid = try collection.meanNDCG(.hybrid, fusion)
            #expect(hybrid >= max(vector, keyword) - 0.005, "\(fusion)")
            if fusion == HybridQuery(text: "").fusion { #expect(hybrid >= floor) }
        }
    }
}
