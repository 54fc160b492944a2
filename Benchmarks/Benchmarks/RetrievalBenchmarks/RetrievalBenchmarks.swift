import Benchmark
import Retrieval

/// The legs and the fusion on made-up notes; for regressions, not for claims (see RESULTS.md for peers).
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput, .peakMemoryResident], maxDuration: .seconds(5), maxIterations: 2000)

    let index = HybridIndex(dimensions: 384)
    let query = Corpus.vector(seed: 1)
    // Each benchmark is a process of its own.
    Benchmark.setup = { try Corpus.fill(index, notes: 10_000) }
    Benchmark("10k x 384, vector") { benchmark in
        for _ in benchmark.scaledIterations {
            blackHole(try index.searchNow(HybridQuery(text: "", vector: query, mode: .vector)))
        }
    }
    Benchmark("10k, keyword, two rare words") { benchmark in
        for _ in benchmark.scaledIterations {
            blackHole(try index.searchNow(HybridQuery(text: "w17x w23x", mode: .keyword)))
        }
    }
    Benchmark("10k x 384, hybrid") { benchmark in
        for _ in benchmark.scaledIterations {
            blackHole(try index.searchNow(HybridQuery(text: "w17x w23x", vector: query)))
        }
    }
}

/// Notes that are the same in every run.
enum Corpus {
    static func fill(_ index: HybridIndex, notes: Int) throws {
        guard index.statistics.documents == 0 else { return }
        for start in stride(from: 0, to: notes, by: 1000) {
            var update = IndexUpdate()
            for id in start..<start + 1000 {
                let words = (0..<120).map { "w\((id &* 31 &+ $0 &* $0 &* 17) % 5000)x" }.joined(separator: " ")
                update.documents.append(RetrievalDocument(id: Int64(id), title: "note \(id)", text: words))
                update.vectors.append(VectorEntry(id: Int64(id), values: vector(seed: UInt64(id) + 7)))
            }
            try index.apply(update)
        }
    }

    static func vector(seed: UInt64) -> [Float] {
        var state = seed
        return (0..<384).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int64(bitPattern: state) >> 32) / Float(Int32.max)
        }
    }
}
