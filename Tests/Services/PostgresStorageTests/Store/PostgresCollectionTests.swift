import Foundation
import Retrieval
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Judged collections beside the checkout: the ranking in PostgreSQL equals that of the index in memory. A fifth of the queries
/// of one collection, or with `WHOLE_COLLECTIONS=1` all of three.
@Suite(
    .serialized,
    .enabled("needs a PostgreSQL server whose pgvector runs on this processor") { await PostgresServer.hasWideVectors })
struct PostgresCollectionTests {
    private static let folder = Repository.root.deletingLastPathComponent().appending(path: "shared/collections")
    private static let isWhole = ProcessInfo.processInfo.environment["WHOLE_COLLECTIONS"] == "1"
    private static let names = (isWhole ? ["cranfield", "cacm", "negconstraint"] : ["cranfield"]).filter {
        FileManager.default.fileExists(atPath: folder.appending(path: "\($0)/minilm_docs.npy").path)
    }

    private struct Entry: Decodable {
        var _id: String
        var title: String?
        var text: String
    }

    private static func entries(_ name: String, _ file: String) throws -> [Entry] {
        try String(contentsOf: folder.appending(path: "\(name)/\(file)"), encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Entry.self, from: Data($0.utf8))
        }
    }

    /// The rows of a float32 matrix in NumPy's format, by the ids of its list.
    private static func vectors(_ name: String, _ kind: String) throws -> [String: [Float]] {
        let data = try Data(contentsOf: folder.appending(path: "\(name)/minilm_\(kind).npy"))
        let ids = try String(contentsOf: folder.appending(path: "\(name)/\(kind)_ids.txt"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        let start = 10 + Int(data[8]) + Int(data[9]) << 8
        let dimensions = (data.count - start) / 4 / ids.count
        let values = data[start...].withUnsafeBytes { bytes in
            (0..<ids.count * dimensions).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
        let rows = ids.enumerated().map { ($1, Array(values[$0 * dimensions..<($0 + 1) * dimensions])) }
        return Dictionary(rows) { first, _ in first }
    }

    private static func gain(_ ranking: [String], _ judged: [String: Double]) -> Double {
        func sum(_ grades: [Double]) -> Double {
            grades.prefix(10).enumerated().reduce(0) { $0 + $1.element / log2(Double($1.offset) + 2) }
        }
        let best = sum(judged.values.sorted(by: >))
        return best > 0 ? sum(ranking.map { judged[$0] ?? 0 }) / best : 0
    }

    @Test(.slow, .enabled(if: !names.isEmpty, "needs ../shared/collections"), arguments: names)
    func `nDCG and ranking are those of the index in memory`(_ name: String) async throws {
        let (documents, queries) = (try Self.entries(name, "corpus.jsonl"), try Self.entries(name, "queries.jsonl"))
        let (rows, asked) = (try Self.vectors(name, "docs"), try Self.vectors(name, "queries"))
        var judged: [String: [String: Double]] = [:]
        for file in try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "\(name)/qrels").path)
        {
            let text = try String(contentsOf: Self.folder.appending(path: "\(name)/qrels/\(file)"), encoding: .utf8)
            for line in text.split(separator: "\n").dropFirst() {
                let fields = line.split(separator: "\t").map(String.init)
                judged[fields[0], default: [:]][fields[1]] = Double(fields[2])
            }
        }
        let stage = try await PostgresStage()
        let space = try await stage.space(rows.values.first?.count ?? 0)
        let drafts = documents.map {
            NoteDraft(title: $0.title ?? "", content: $0.text, createdAt: 0, externalID: $0._id)
        }
        for start in stride(from: 0, to: drafts.count, by: 500) {
            _ = try await stage.store.notes.insert(Array(drafts[start..<min(start + 500, drafts.count)]))
        }
        let known = try await stage.store.rows("SELECT external_id, note_id FROM note_sources")
        var (ids, names, vectors) = ([String: Int64](), [Int64: String](), [Int64: [Float]]())
        for row in known.indices {
            guard let name = known.text(row, 0), let id = known.integer(row, 1) else { continue }
            (ids[name], names[id], vectors[id]) = (id, name, rows[name])
        }
        var update = IndexUpdate()
        update.documents = drafts.compactMap { draft in
            draft.externalID.flatMap { ids[$0] }.map {
                RetrievalDocument(id: $0, title: draft.title, text: draft.content)
            }
        }
        update.vectors = vectors.map { VectorEntry(id: $0.key, values: $0.value) }
        let index = HybridIndex(dimensions: space.space.dimensions)
        try index.apply(update)
        try await stage.embed(vectors, in: space)

        let search = PostgresSearch(stage.store)
        let view = try await search.view()
        var (gains, equal, count) = ((0.0, 0.0), 0, 0)
        for (number, query) in queries.enumerated() where Self.isWhole || number % 5 == 0 {
            guard let judged = judged[query._id], let vector = asked[query._id] else { continue }
            let question = HybridQuery(text: query.text, vector: vector, mode: .hybrid, limit: 10)
            let (expected, found) = (try await index.search(question), try await search.search(question, view))
            count += 1
            if expected.hits.map(\.id) == found.hits.map(\.id) { equal += 1 }
            for (left, right) in zip(expected.hits, found.hits) { #expect(abs(left.score - right.score) < 1e-4) }
            gains.0 += Self.gain(expected.hits.compactMap { names[$0.id] }, judged)
            gains.1 += Self.gain(found.hits.compactMap { names[$0.id] }, judged)
        }
        #expect(count > 0)
        print(name, "nDCG@10", gains.0 / Double(count), gains.1 / Double(count), "equal rankings", equal, "of", count)
        #expect(abs(gains.0 - gains.1) / Double(count) < 0.001)
        // Others differ only where scores are equal but for rounding.
        #expect(Double(equal) >= 0.97 * Double(count))
    }
}
