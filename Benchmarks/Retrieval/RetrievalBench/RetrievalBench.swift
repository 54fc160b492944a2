import Foundation
import Retrieval

/// Measures Selene's vector search on command from a script, with one JSON line per command.
///
/// `RetrievalBench MATRIX ROWS DIMENSIONS QUERIES THREADS` loads raw float32 rows, one document each, and prints
/// `ready {…}`. Then it reads commands from standard input: `single PLAN N`, `clients PLAN C N`, `batch PLAN B`, `read`
/// and `memory`. It always uses one thread per core; THREADS is the number that the script gives the peers.
@main
struct RetrievalBench {
    let index: HybridIndex
    let queries: [[Float]]
    let exact: [[Int64]]

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let rows = Int(arguments[2]), let dimensions = Int(arguments[3]) else {
            FileHandle.standardError.write(Data("usage: RetrievalBench MATRIX ROWS DIMENSIONS QUERIES THREADS\n".utf8))
            exit(64)
        }
        let started = ContinuousClock.now
        let bench = try Self(
            matrix: arguments[1], rows: rows, dimensions: dimensions, queries: arguments[4])
        let loaded = milliseconds(ContinuousClock.now - started)
        answer(
            "ready ",
            [
                "blas": BLAS.description, "kernel": HybridIndex.kernel, "load_ms": loaded,
                "resident_mb": Memory.resident, "plans": bench.index.availablePlans.map(\.rawValue),
            ])
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let plan = words.count > 1 ? VectorPlan(rawValue: words[1]) : nil
            let numbers = words.dropFirst(2).compactMap(Int.init)
            switch (words.first, plan, numbers.count) {
            case ("single", let plan?, 1): try bench.single(plan, numbers[0])
            case ("clients", let plan?, 2): try await bench.clients(plan, numbers[0], numbers[1])
            case ("batch", let plan?, 1): try await bench.batch(plan, numbers[0])
            case ("read", _, _): answer("", ["ms": milliseconds(bench.index.readMatrix()?.duration ?? .zero)])
            case ("memory", _, _): answer("", ["resident_mb": Memory.resident, "peak_mb": Memory.peak])
            default: answer("", ["error": "not understood: \(line)"])
            }
        }
    }

    init(matrix path: String, rows: Int, dimensions: Int, queries file: String) throws {
        index = HybridIndex(dimensions: dimensions)
        let matrix = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        for start in stride(from: 0, to: rows, by: 1000) {
            var update = IndexUpdate()
            for row in start..<min(rows, start + 1000) {
                update.documents.append(RetrievalDocument(id: Int64(row), title: "", text: ""))
                update.vectors.append(VectorEntry(id: Int64(row), values: Self.floats(matrix, row, dimensions)))
            }
            try index.apply(update)
        }
        let data = try Data(contentsOf: URL(filePath: file))
        queries = (0..<data.count / (4 * dimensions)).map { Self.floats(data, $0, dimensions) }
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        let index = index
        exact = try queries.map { try index.searchNow(Self.query($0, .exact)).hits.map(\.id) }
    }

    static func query(_ vector: [Float], _ plan: VectorPlan) -> HybridQuery {
        var query = HybridQuery(text: "", vector: vector, mode: .vector, limit: 10)
        query.plan = plan
        return query
    }

    func single(_ plan: VectorPlan, _ count: Int) throws {
        var (times, found, ids): ([Double], Int, [Int64]) = ([], 0, [])
        for number in 0..<count {
            let place = number % queries.count
            let started = ContinuousClock.now
            ids = try index.searchNow(Self.query(queries[place], plan)).hits.map(\.id)
            times.append(Self.milliseconds(ContinuousClock.now - started))
            found += Set(ids).intersection(exact[place]).count
        }
        let recall = Double(found) / Double(max(1, 10 * count))
        Self.answer("", ["ms": times, "ids": ids, "recall": recall])
    }

    func clients(_ plan: VectorPlan, _ clients: Int, _ count: Int) async throws {
        let started = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for client in 0..<clients {
                group.addTask { [index, queries] in
                    var times: [Double] = []
                    for number in 0..<count {
                        let begun = ContinuousClock.now
                        _ = try await index.search(Self.query(queries[(client + number) % queries.count], plan))
                        times.append(Self.milliseconds(ContinuousClock.now - begun))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let seconds = Self.milliseconds(ContinuousClock.now - started) / 1000
        Self.answer("", ["seconds": seconds, "queries": clients * count, "ms": times])
    }

    func batch(_ plan: VectorPlan, _ count: Int) async throws {
        let batch = (0..<count).map { Self.query(queries[$0 % queries.count], plan) }
        let started = ContinuousClock.now
        let results = try await index.search(batch)
        let time = Self.milliseconds(ContinuousClock.now - started)
        Self.answer("", ["ms": time, "ids": results.map { $0.hits.map(\.id) }])
    }

    static func answer(_ prefix: String, _ object: [String: Any]) {
        guard let json = try? JSONSerialization.data(withJSONObject: object) else { return }
        print(prefix + String(decoding: json, as: UTF8.self))
        fflush(nil)
    }

    static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.attoseconds) / 1e15 + Double(duration.components.seconds) * 1e3
    }

    static func floats(_ data: Data, _ row: Int, _ dimensions: Int) -> [Float] {
        data.withUnsafeBytes { bytes in
            [Float](unsafeUninitializedCapacity: dimensions) { values, count in
                let start = row * dimensions * 4
                UnsafeMutableRawBufferPointer(values).copyBytes(from: bytes[start..<start + dimensions * 4])
                count = dimensions
            }
        }
    }
}

/// Memory of the process, in MB.
enum Memory {
    static var resident: Double { field("VmRSS:") }
    static var peak: Double { field("VmHWM:") }

    private static func field(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let kilobytes = line.split(separator: " ").compactMap({ Double($0) }).first
        else { return 0 }
        return kilobytes / 1024
    }
}
