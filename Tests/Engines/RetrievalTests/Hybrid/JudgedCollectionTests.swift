import TestSupport
import Testing

@testable import Retrieval

/// Retrieval quality on collections with judgements. Skipped where they are absent: they are not part of the repository.
@Suite(.enabled(if: JudgedCollection.isPresent, "no collections beside the repository: quality is not measured here"))
struct RetrievalQuality {
    /// Floors are what fusing exact cosines with a reference BM25 gives; the default was 0.01 to 0.02 above them when it
    /// was chosen.
    @Test(arguments: [("cranfield", 0.4083), ("cacm", 0.5583), ("negconstraint", 0.7367)])
    func `fusion does no harm, and the default does well`(name: String, floor: Double) throws {
        let collection = try JudgedCollection(name)
        #expect(collection.queries.count > 50)
        let (vector, keyword) = (try collection.meanNDCG(.vector), try collection.meanNDCG(.keyword))
        for fusion in [FusionMethod.rrf(k: 60), .convex(alpha: 0.5), .dbsf] {
            let hybrid = try collection.meanNDCG(.hybrid, fusion)
            #expect(hybrid >= max(vector, keyword) - 0.005, "\(fusion)")
            if fusion == HybridQuery(text: "").fusion { #expect(hybrid >= floor) }
        }
    }
}
