import Foundation
import Retrieval

/// Measures the search for similar pairs of random notes: `AssociationsBench ROWS DIMENSIONS [SECONDS]`.
///
/// The vectors form a thousand clusters, so most notes have similar ones. With SECONDS it stops early; the first blocks are
/// the most work, because each is compared with all after it.
@main
struct AssociationsBench {
    struct Enough: Error {}

    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Double.init)
        guard numbers.count >= 2, numbers[0] >= 1, numbers[1] >= 1 else {
            FileHandle.standardError.write(Data("usage: AssociationsBench ROWS DIMENSIONS [SECONDS]\n".utf8))
            exit(64)
        }
        let (rows, dimensions) = (Int(numbers[0]), Int(numbers[1]))
        let limit = numbers.count > 2 ? numbers[2] : .infinity
        let index = try filled(rows, dimensions)
        let started = ContinuousClock.now
        let cpu = cpuSeconds()
        var (done, pairs) = (0, Set<SIMD2<Int64>>())
        do {
            try await index.nearPairs(NearPairOptions(minSimilarity: 0.7, neighbours: 10)) { block in
                done = block.done
                for pair in block.pairs { pairs.insert(SIMD2(pair.first, pair.second)) }
                if (ContinuousClock.now - started) / .seconds(1) > limit { throw Enough() }
            }
        } catch is Enough {}
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        let used = cpuSeconds() - cpu
        print(
            "\(rows) x \(dimensions), kernel \(HybridIndex.kernel): \(done) rows in \(rounded(seconds)) s, CPU "
                + "\(rounded(used)) s; \(pairs.count) different pairs")
    }

    /// Processor time of this process, of all threads, in user and kernel mode.
    static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func rounded(_ seconds: Double) -> String { String(format: "%.2f", seconds) }

    static func filled(_ rows: Int, _ dimensions: Int) throws -> HybridIndex {
        var random = SplitMix(state: 7)
        func vector(_ scale: Float) -> [Float] { (0..<dimensions).map { _ in scale * random.next() } }
        let centres = (0..<1000).map { _ in vector(1) }
        let index = HybridIndex(dimensions: dimensions)
        for start in stride(from: 0, to: rows, by: 1000) {
            var update = IndexUpdate()
            for row in start..<min(rows, start + 1000) {
                update.documents.append(RetrievalDocument(id: Int64(row), title: "", text: ""))
                let values = zip(centres[row % 1000], vector(0.5)).map { $0 + $1 }
                update.vectors.append(VectorEntry(id: Int64(row), values: values))
            }
            try index.apply(update)
        }
        return index
    }
}

/// Generates pseudo-random numbers from -1 to 1, the same in every run.
struct SplitMix {
    var state: UInt64

    mutating func next() -> Float {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Float((mixed ^ (mixed >> 31)) >> 40) / Float(1 << 23) - 1
    }
}
