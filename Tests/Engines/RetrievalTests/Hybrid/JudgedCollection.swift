import Foundation
import TestSupport

@testable import Retrieval

/// A retrieval collection with relevance judgements in the BEIR layout, with ready vectors. Kept beside the repository,
/// never in it: no licence is stated for most of them.
struct JudgedCollection {
    struct Query {
        var text: String
        var vector: [Float]
        /// Gain by document.
        var judgements: [Int64: Double]
    }

    /// `../shared/collections` beside the repository.
    static let folder = Repository.root.deletingLastPathComponent().appending(path: "shared/collections")

    static let isPresent = FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path)

    var index: HybridIndex
    var queries: [Query] = []

    init(_ name: String) throws {
        let folder = Self.folder.appending(path: name)
        func lines(_ file: String) throws -> [Substring] {
            try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n")
        }
        struct Row: Decodable {
            var _id: String
            var title: String?
            var text: String
        }
        func rows(_ file: String) throws -> [Row] {
            try lines(file).map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        }

        let documents = try rows("corpus.jsonl")
        // In no order of the file, where what is relevant may stand first and win ties. One id stands twice in CACM; the
        // later one counts.
        var random = SeededGenerator(1)
        let order = documents.indices.map(Int64.init).shuffled(using: &random)
        let numbers = Dictionary(zip(documents, order).map { ($0._id, $1) }) { $1 }
        let matrix = try Self.matrix(folder.appending(path: "minilm_docs.npy"))
        var update = IndexUpdate()
        for (id, values) in zip(try lines("docs_ids.txt"), matrix) {
            if let number = numbers[String(id)] { update.vectors.append(VectorEntry(id: number, values: values)) }
        }
        for row in documents {
            guard let number = numbers[row._id] else { continue }
            update.documents.append(RetrievalDocument(id: number, title: row.title ?? "", text: row.text))
        }
        index = HybridIndex(dimensions: matrix.first?.count)
        try index.apply(update)

        var judgements: [String: [Int64: Double]] = [:]
        for line in try lines("qrels/test.tsv").dropFirst() {
            let fields = line.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
            guard fields.count == 3, let number = numbers[fields[1]], let gain = Double(fields[2]), gain > 0 else {
                continue
            }
            judgements[fields[0], default: [:]][number] = gain
        }
        let texts = Dictionary(uniqueKeysWithValues: try rows("queries.jsonl").map { ($0._id, $0.text) })
        let vectors = try Self.matrix(folder.appending(path: "minilm_queries.npy"))
        for (id, vector) in zip(try lines("queries_ids.txt").map(String.init), vectors) {
            guard let text = texts[id], let judged = judgements[id] else { continue }
            queries.append(Query(text: text, vector: vector, judgements: judged))
        }
    }

    /// The mean nDCG@10 over all queries (Järvelin and Kekäläinen, TOIS 2002): gains as judged, discount log2(rank + 1).
    func meanNDCG(_ mode: RetrievalMode, _ fusion: FusionMethod = .convex(alpha: 0.5)) throws -> Double {
        func discounted(_ gains: some Sequence<Double>) -> Double {
            gains.prefix(10).enumerated().reduce(0) { $0 + $1.element / log2(Double($1.offset + 2)) }
        }
        let sum = try queries.reduce(0.0) { sum, query in
            let hits = try index.searchNow(
                HybridQuery(text: query.text, vector: query.vector, mode: mode, limit: 10, fusion: fusion)
            ).hits
            let ideal = discounted(query.judgements.values.sorted(by: >))
            return sum + discounted(hits.lazy.map { query.judgements[$0.id] ?? 0 }) / ideal
        }
        return sum / Double(queries.count)
    }

    /// A matrix of little-endian float32 in NumPy's format, version 1.
    private static func matrix(_ url: URL) throws -> [[Float]] {
        let bytes = [UInt8](try Data(contentsOf: url))
        let headerEnd = 10 + Int(bytes[8]) + Int(bytes[9]) << 8
        let header = String(decoding: bytes[10..<headerEnd], as: UTF8.self)
        guard header.contains("'<f4'"), header.contains("'fortran_order': False"),
            let shape = header.firstMatch(of: /\((\d+), (\d+)\)/), let rows = Int(shape.1), let columns = Int(shape.2)
        else { throw CocoaError(.fileReadCorruptFile) }
        return (0..<rows).map { row in
            [Float](unsafeUninitializedCapacity: columns) { values, count in
                let start = headerEnd + row * columns * 4
                UnsafeMutableRawBufferPointer(values).copyBytes(from: bytes[start..<start + columns * 4])
                count = columns
            }
        }
    }
}
