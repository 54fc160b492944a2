import Foundation
import TestSupport
import Testing

@testable import Retrieval

/// Retrieval quality on collections with judgements. Skipped where they are absent: they are not part of the repository. `WHOLE_COLLECTIONS=1`
/// measures all of them.
@Suite(.enabled(if: JudgedCollection.isPresent, "no collections beside the repository: quality is not measured here"))
struct RetrievalQuality {
    /// All collections take minutes in a debug build; a run of the whole suite has one of them.
    private static let isWhole = ProcessInfo.processInfo.environment["WHOLE_COLLECTIONS"] == "1"
    private static let collections = [("cacm", 0.5583), ("cranfield", 0.4083), ("negconstraint", 0.7367)]

    /// Floors are what fusing exact cosines with a reference BM25 gives; the default was 0.01 to 0.02 above them when it
    /// was chosen.
    @Test(.slow, arguments: collections.prefix(isWhole ? 3 : 1))
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
