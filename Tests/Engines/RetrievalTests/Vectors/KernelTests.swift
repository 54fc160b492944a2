import TestSupport
import Testing

@testable import Retrieval

/// Every set of kernels that this processor can run, against sums in double precision or in whole numbers.
@Suite struct KernelSets {
    static let dimensions = [1, 3, 15, 16, 17, 31, 32, 63, 64, 65, 96, 100, 384, 768, 1000]

    /// Values in memory of their own that begins some values after an address that a vector register would like.
    final class Memory<Value: BitwiseCopyable> {
        private let raw: UnsafeMutableRawPointer
        let start: UnsafeMutablePointer<Value>

        init(_ values: [Value], offset: Int = 0) {
            let stride = MemoryLayout<Value>.stride
            raw = .allocate(byteCount: (values.count + offset + 1) * stride, alignment: 64)
            start = (raw + offset * stride).bindMemory(to: Value.self, capacity: values.count + 1)
            start.initialize(from: values, count: values.count)
        }

        deinit { raw.deallocate() }

        subscript(_ range: Range<Int>) -> [Value] {
            Array(UnsafeBufferPointer(start: start, count: range.upperBound)[range])
        }
    }

    /// What a kernel writes into room for `count` results; a result behind them would show.
    func written<Value: BitwiseCopyable & Equatable>(
        _ count: Int, _ canary: Value, _ body: (UnsafeMutablePointer<Value>) -> Void
    ) -> [Value] {
        let memory = Memory([Value](repeating: canary, count: count + 64))
        body(memory.start)
        #expect(memory[count..<count + 64].allSatisfy { $0 == canary })
        return memory[0..<count]
    }

    func dotRows(_ kernels: Kernels, _ rows: [Float], _ dimensions: Int, _ query: [Float], offset: Int = 0) -> [Float] {
        let (rows, query, count) = (
            Memory(rows, offset: offset), Memory(query, offset: offset), rows.count / dimensions
        )
        return written(count, .infinity) {
            kernels.dotRows(rows.start, count: count, dimensions: dimensions, query: query.start, scores: $0)
        }
    }

    /// The sum in double precision, and how far a sum of so many products in single precision may be from it.
    func dot(_ left: ArraySlice<Float>, _ right: [Float]) -> (sum: Double, error: Double) {
        let products = zip(left, right).map { Double($0) * Double($1) }
        let size = products.reduce(0) { $0 + abs($1) }
        return (products.reduce(0, +), size * Double(products.count + 1) * 0x1p-24)
    }

    @Test func `there is a best set, and plain C is the last`() {
        #expect(Kernels.available.last?.name == "generic")
        #expect(Kernels.best.name == Kernels.available.first?.name)
        #expect(Set(Kernels.available.map(\.name)).count == Kernels.available.count)
    }

    @Test(arguments: dimensions) func `rows get their inner products`(dimensions: Int) {
        var random = SeededGenerator(UInt64(dimensions))
        let rows = random.vector(dimensions * 13)
        let query = random.vector(dimensions)
        for kernels in Kernels.available {
            let scores = dotRows(kernels, rows, dimensions, query)
            for (number, score) in scores.enumerated() {
                let expected = dot(rows[number * dimensions..<(number + 1) * dimensions], query)
                #expect(abs(Double(score) - expected.sum) <= expected.error, "\(kernels.name)")
            }
        }
    }

    @Test(.slow, arguments: dimensions)
    func `equal rows get equal scores, wherever they lie and however many there are`(dimensions: Int) {
        var random = SeededGenerator(UInt64(dimensions) + 1)
        let (same, query) = (random.vector(dimensions), random.vector(dimensions))
        for kernels in Kernels.available {
            var seen: Set<Float> = []
            for offset in 0..<17 {
                for count in [1, 2, 5, 12, 17] {
                    let place = Int.random(in: 0..<count, using: &random)
                    let rows = (0..<count).flatMap { $0 == place ? same : random.vector(dimensions) }
                    seen.insert(dotRows(kernels, rows, dimensions, query, offset: offset)[place])
                }
            }
            #expect(seen.count == 1, "\(kernels.name)")
        }
    }

    @Test(.slow, arguments: [16, 32, 48, 64]) func `a panel scores every row with every query`(width: Int) {
        var random = SeededGenerator(UInt64(width))
        for dimensions in [1, 3, 17, 64, 100] {
            let panel = random.vector(dimensions * width)
            let queries = (0..<width).map { column in (0..<dimensions).map { panel[$0 * width + column] } }
            let values = random.vector(dimensions * 40)
            let expected = (0..<40).flatMap { row in
                queries.map { dot(values[row * dimensions..<(row + 1) * dimensions], $0) }
            }
            for count in 1...40 {
                let offset = count % 16
                let (rows, memory) = (Memory(Array(values.prefix(count * dimensions)), offset: offset), Memory(panel))
                for kernels in Kernels.available {
                    let scores = written(count * width, Float.infinity) {
                        kernels.dotPanel(
                            rows.start, count: count, dimensions: dimensions, panel: memory.start, width: width,
                            scores: $0)
                    }
                    let right = zip(scores, expected).allSatisfy { abs(Double($0) - $1.sum) <= $1.error }
                    #expect(right, "\(kernels.name), \(count) rows of \(dimensions)")
                }
            }
        }
    }

    @Test(.slow, arguments: [64, 128, 192, 384, 768, 1024])
    func `bytes give whole numbers, the greatest ones too`(stride: Int) {
        var random = SeededGenerator(UInt64(stride))
        // Sums of neighbours overflow 16 bits when all are extreme.
        let fills: [(UInt8, Int8)] = [(255, 127), (255, -127), (1, 127), (1, -127), (0, -128), (128, 127)]
        var rows = fills.flatMap { [UInt8](repeating: $0.0, count: stride) }
        rows += (0..<stride * 7).map { _ in UInt8.random(in: 1...255, using: &random) }
        var queries = fills.map { [Int8](repeating: $0.1, count: stride) }
        queries += (0..<3).map { _ in (0..<stride).map { _ in Int8.random(in: -127...127, using: &random) } }
        let count = rows.count / stride
        for query in queries {
            let expected = (0..<count).map { row in
                (0..<stride).reduce(0) { $0 + (Int(rows[row * stride + $1]) - 128) * Int(query[$1]) }
            }
            for offset in [0, 1, 7, 33] {
                let (memory, codes) = (Memory(rows, offset: offset), Memory(query, offset: offset))
                for kernels in Kernels.available {
                    let sums = written(count, Int32.min) {
                        kernels.dotBytes(memory.start, count: count, stride: stride, query: codes.start, sums: $0)
                    }
                    #expect(sums.map(Int.init) == expected, "\(kernels.name)")
                }
            }
        }
    }

    /// 288 columns are more than sums of 16 bits hold.
    @Test(arguments: [16, 32, 48, 96, 256, 288])
    func `tables give whole numbers`(columns: Int) {
        var random = SeededGenerator(UInt64(columns))
        let count = 3
        let full = [UInt8](repeating: .max, count: columns * 32)
        let blocks = full + (0..<columns * 32 * (count - 1)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let most = [UInt8](repeating: 127, count: columns * 32)
        for tables in [most, most.map { _ in UInt8.random(in: 0...127, using: &random) }] {
            let expected = (0..<count * 32).map { row in
                (0..<columns).reduce(0) { sum, column in
                    let byte = Int(blocks[(row / 32 * columns + column) * 32 + row % 32])
                    return sum + Int(tables[column * 32 + byte & 15]) + Int(tables[column * 32 + 16 + byte >> 4])
                }
            }
            for offset in [0, 1, 7, 33] {
                let (memory, entries) = (Memory(blocks, offset: offset), Memory(tables, offset: offset))
                for kernels in Kernels.available {
                    let sums = written(count * 32, Int32.min) {
                        kernels.sumTables(
                            memory.start, count: count, columns: columns, tables: entries.start, sums: $0)
                    }
                    #expect(sums.map(Int.init) == expected, "\(kernels.name)")
                }
            }
        }
    }

    @Test func `reading sees every byte`() {
        var random = SeededGenerator(5)
        for count in [0, 1, 63, 64, 65, 255, 256, 257, 1000, 5000] {
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var sums = Kernels.available.map { kernels in bytes.withUnsafeBytes { kernels.read($0) } }
            #expect(Set(sums).count == 1)
            for place in [0, count / 2, count - 1] where count > 0 {
                bytes[place] ^= 1
                for (number, kernels) in Kernels.available.enumerated() {
                    let sum = bytes.withUnsafeBytes { kernels.read($0) }
                    #expect(sum != sums[number])
                    sums[number] = sum
                }
            }
        }
    }
}
