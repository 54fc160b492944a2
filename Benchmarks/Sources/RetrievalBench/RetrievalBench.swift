import Foundation
import Retrieval

/// Serves measurements to a script that measures peers in the same run.
///
/// `RetrievalBench MATRIX ROWS DIMENSIONS QUERIES` loads raw float32 rows; each line `N` on standard input runs N
/// queries for the ten nearest and answers with a line of milliseconds, then one of the ids of the last query.
@main
struct RetrievalBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let rows = Int(arguments[2]), let dimensions = Int(arguments[3]) else {
            FileHandle.standardError.write(Data("usage: RetrievalBench MATRIX ROWS DIMENSIONS QUERIES\n".utf8))
            exit(64)
        }
        let index = HybridIndex(dimensions: dimensions)
        let matrix = try Data(contentsOf: URL(filePath: arguments[1]), options: .alwaysMapped)
        for start in stride(from: 0, to: rows, by: 1000) {
            var update = IndexUpdate()
            for row in start..<min(rows, start + 1000) {
                update.documents.append(RetrievalDocument(id: Int64(row), title: "", text: "x"))
                update.vectors.append(VectorEntry(id: Int64(row), values: floats(matrix, row, dimensions)))
            }
            try index.apply(update)
        }
        let data = try Data(contentsOf: URL(filePath: arguments[4]))
        let queries = (0..<data.count / (4 * dimensions)).map { floats(data, $0, dimensions) }
        print("ready \(BLAS.description)")
        fflush(nil)
        while let line = readLine(), let count = Int(line) {
            var times: [Double] = []
            var ids: [Int64] = []
            for number in 0..<count {
                let query = HybridQuery(text: "", vector: queries[number % queries.count], mode: .vector, limit: 10)
                let started = ContinuousClock.now
                ids = try index.searchNow(query).hits.map(\.id)
                let elapsed = ContinuousClock.now - started
                times.append(Double(elapsed.components.attoseconds) / 1e15 + Double(elapsed.components.seconds) * 1e3)
            }
            print(times.map { String($0) }.joined(separator: " "))
            print(ids.map { String($0) }.joined(separator: " "))
            fflush(nil)
        }
    }

    static func floats(_ data: Data, _ row: Int, _ dimensions: Int) -> [Float] {
        data.withUnsafeBytes { bytes in
            (0..<dimensions).map { bytes.loadUnaligned(fromByteOffset: (row * dimensions + $0) * 4, as: Float.self) }
        }
    }
}
