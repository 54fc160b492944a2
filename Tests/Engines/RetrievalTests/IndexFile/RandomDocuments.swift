import Foundation
import TestSupport

@testable import Retrieval

/// Documents of all kinds for the tests of index files, and what an index answers about them.
struct RandomDocuments {
    static let types = ["Idea", "task", "journal", ""]
    var random: SeededGenerator
    var dimensions: Int?
    /// In no order, and far apart.
    let ids: [Int64]

    init(seed: UInt64, dimensions: Int? = 12, documents: Int = 70) {
        var random = SeededGenerator(seed)
        ids =
            [.min, .max, -1, 0] + (4..<documents).map { _ in Int64.random(in: -1_000_000...1_000_000, using: &random) }
        self.random = random
        self.dimensions = dimensions
    }

    mutating func document(_ id: Int64) -> RetrievalDocument {
        let words = (0..<8).map { _ in "w\(Int.random(in: 0..<15, using: &random))" }.joined(separator: " ")
        return RetrievalDocument(
            id: id, title: "Note \(id % 7)", text: words + " ÉTÉ", noteType: Self.types.randomElement(using: &random),
            actionability: ["none", "someday", nil][Int.random(in: 0..<3, using: &random)],
            createdAt: Int64.random(in: 0..<100, using: &random),
            threads: (0..<Int.random(in: 0..<3, using: &random)).map { _ in Int64.random(in: 1...4, using: &random) },
            tags: ["sea", "Bread", "none"].filter { _ in Bool.random(using: &random) })
    }

    /// Documents that are new or changed, some gone, most with vectors, some of them several.
    mutating func update(_ count: Int) -> IndexUpdate {
        var update = IndexUpdate()
        for id in ids.shuffled(using: &random).prefix(count) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: update.removedDocuments.append(id)
            case 1: update.removedVectors.append(id)
            default:
                update.documents.append(document(id))
                guard let dimensions, Int.random(in: 0..<5, using: &random) > 0 else { continue }
                let passages = Int.random(in: 1...3, using: &random)
                update.vectors.append(
                    VectorEntry(id: id, values: random.vector(dimensions * passages), passages: passages))
            }
        }
        return update
    }

    /// An index that has been changed a few times.
    mutating func index() throws -> HybridIndex {
        let index = HybridIndex(dimensions: dimensions)
        for _ in 0..<4 { try index.apply(update(50)) }
        return index
    }

    static let filters = [
        Filter(), Filter(noteTypes: ["idea", "TASK"]), Filter(actionabilities: ["someday"]), Filter(since: 50),
        Filter(since: 20, until: 60), Filter(threads: [2, 3]), Filter(tags: ["BREAD"]),
        Filter(noteTypes: ["journal"], threads: [1], tags: ["sea"]), Filter(noteTypes: ["unknown"]),
    ]

    /// Hits with the bits of their scores, for queries of all modes behind all filters.
    static func answers(_ index: HybridIndex, plan: VectorPlan? = nil, candidates: Int? = nil) throws -> [String] {
        var random = SeededGenerator(99)
        var answers: [String] = []
        for mode in RetrievalMode.allCases {
            let vector = random.vector(index.statistics.dimensions ?? 1)
            for filter in filters {
                var query = HybridQuery(
                    text: "w1 w3 été", keywords: ["w2 w"], vector: vector, mode: mode, filter: filter, limit: 100)
                query.plan = plan
                query.candidates = candidates
                let result = try index.searchNow(query)
                answers.append("\(mode) \(filter) \(result.filterMatched) of \(result.documents)")
                answers += result.hits.map { "\($0.id) \($0.score.bitPattern) \($0.passage ?? -1)" }
            }
        }
        return answers
    }

    static func open(_ path: String) throws -> HybridIndex { try HybridIndex.open(path: path).index }

    static func write(_ index: HybridIndex, to path: String) throws {
        try index.image.write(to: path, stamp: IndexStamp(source: "source", cursor: 42))
    }
}

extension TemporaryFolder {
    /// The path of an index file in the folder.
    var path: String { path("index") }
}
