import CKernels
import TestSupport
import Testing

@testable import Retrieval

/// Products of bytes and the screen over them, in every set of kernels that this processor can run.
@Suite struct BytePanels {
    private typealias Memory<Value: BitwiseCopyable> = KernelSets.Memory<Value>

    /// Rows of codes as a panel.
    private func panel(_ columns: [Int8], _ stride: Int) -> [UInt8] {
        let memory = Memory(columns)
        return KernelSets().written(32 * stride, UInt8(7)) {
            selene_pack_panel(memory.start, columns.count / stride, stride, $0)
        }
    }

    @Test(arguments: [4, 8, 60, 64, 384, 768])
    func `bytes give whole numbers, the greatest ones too`(stride: Int) {
        var random = SeededGenerator(UInt64(stride))
        for columnCount in [32, 5] {
            var columns = [Int8](repeating: 127, count: stride) + [Int8](repeating: -127, count: stride)
            while columns.count < columnCount * stride { columns.append(Int8.random(in: -127...127, using: &random)) }
            let panel = Memory(panel(columns, stride), offset: 3)
            for count in [1, 3, 4, 5, 12, 13, 48, 61] {
                var rows = [Int8](repeating: -127, count: stride) + [Int8](repeating: 127, count: stride)
                while rows.count < count * stride { rows.append(Int8.random(in: -127...127, using: &random)) }
                rows.removeLast(rows.count - count * stride)
                let totals = (0..<count).map { row in
                    rows[row * stride..<(row + 1) * stride].reduce(Int32(0)) { $0 + Int32($1) }
                }
                let expected = (0..<count).flatMap { row in
                    (0..<32).map { column in
                        column >= columnCount
                            ? 0
                            : (0..<stride).reduce(0) {
                                $0 + Int(rows[row * stride + $1]) * Int(columns[column * stride + $1])
                            }
                    }
                }
                let (codes, sums) = (Memory(rows, offset: 1), Memory(totals))
                for kernels in Kernels.available {
                    let found = KernelSets().written(count * 32, Int32.min) {
                        kernels.dotBytePanel(
                            codes.start, totals: sums.start, count: count, stride: stride, panel: panel.start, sums: $0)
                    }
                    #expect(found.map(Int.init) == expected, "\(kernels.name), \(count) rows of \(stride)")
                }
            }
        }
    }

    @Test func `a screen lets through what may reach a floor, and no NaN`() {
        var random = SeededGenerator(3)
        for _ in 0..<300 {
            let sums = (0..<32).map { _ in Int32.random(in: -2_000_000...2_000_000, using: &random) }
            var factors = (0..<32).map { _ in Float.random(in: 0...0.001, using: &random) }
            var errors = (0..<32).map { _ in Float.random(in: 0...0.02, using: &random) }
            var floors = (0..<32).map { _ in Float.random(in: -1...1, using: &random) }
            let lengths = (0..<32).map { _ in Float.random(in: 0.9...1.1, using: &random) }
            (factors[3], errors[4], floors[5], floors[6]) = (.nan, -.infinity, .infinity, -.infinity)
            let row = selene_coded_row(
                factor: 0.001, error: Float.random(in: 0...0.02, using: &random), length: 1.01,
                floor: Bool.random(using: &random) ? .infinity : Float.random(in: -1...1, using: &random))
            let (sum, factor, error) = (Memory(sums), Memory(factors), Memory(errors))
            let (length, floor) = (Memory(lengths), Memory(floors))
            let columns = selene_coded_columns(
                factors: factor.start, errors: error.start, lengths: length.start, floors: floor.start)
            for kernels in Kernels.available {
                let found = kernels.screen(sum.start, row, columns)
                for column in 0..<32 {
                    let most =
                        Double(sums[column]) * Double(factors[column]) * Double(row.factor)
                        + Double(row.error) * Double(lengths[column]) + Double(row.length) * Double(errors[column])
                    let least = Double(min(row.floor, floors[column]))
                    let isFound = found >> UInt32(column) & 1 == 1
                    // Rounding decides next to the floor.
                    if most.isNaN || abs(most - least) > 1e-5 || least.isInfinite {
                        #expect(isFound == (most >= least), "\(kernels.name), column \(column)")
                    }
                }
            }
        }
    }

    @Test(arguments: [1, 3, 64, 100, 768]) func `no inner product is above its bound by the codes`(dimensions: Int) {
        var random = SeededGenerator(UInt64(dimensions))
        let stride = (dimensions + 3) / 4 * 4
        var rows: [[Float]] = (0..<6).map { _ in random.vector(dimensions) }
        rows += [[Float](repeating: 0, count: dimensions), [Float](repeating: 1, count: dimensions)]
        rows += [rows[0].map { $0 * 1e-30 }, rows[0].map { $0 * 1e9 }]
        // One great component leaves few steps for the others.
        rows.append(rows[1].enumerated().map { $0.offset == 0 ? 50 : $0.element })
        let coded = rows.map { row -> (codes: [Int8], row: selene_coded_row) in
            let memory = Memory(row)
            var (total, coded) = (Int32(0), selene_coded_row())
            let codes = KernelSets().written(stride, Int8(99)) {
                selene_encode_row(memory.start, dimensions, stride, $0, &total, &coded)
            }
            #expect(Int(total) == codes.reduce(0) { $0 + Int($1) } && codes.allSatisfy { $0 >= -127 })
            #expect(codes[dimensions...].allSatisfy { $0 == 0 })
            return (codes, coded)
        }
        for (left, one) in zip(rows, coded) {
            for (right, other) in zip(rows, coded) {
                let codes = zip(one.codes, other.codes).reduce(0) { $0 + Int($1.0) * Int($1.1) }
                let middle = Double(codes) * Double(one.row.factor) * Double(other.row.factor)
                let error =
                    Double(one.row.error) * Double(other.row.length) + Double(one.row.length) * Double(other.row.error)
                let (memory, query) = (Memory(left), Memory(right))
                for kernels in Kernels.available {
                    let score = KernelSets().written(1, Float.infinity) {
                        kernels.dotRows(
                            memory.start, count: 1, dimensions: dimensions, query: query.start, scores: $0)
                    }[0]
                    #expect(abs(Double(score) - middle) <= error)
                }
            }
        }
        for odd in [Float.nan, .infinity, -.infinity] {
            var row = rows[0]
            row[dimensions - 1] = odd
            let memory = Memory(row)
            var (total, coded) = (Int32(0), selene_coded_row())
            _ = KernelSets().written(stride, Int8(99)) {
                selene_encode_row(memory.start, dimensions, stride, $0, &total, &coded)
            }
            #expect(coded.error == -.infinity && coded.factor == 0 && total == 0)
        }
    }
}
