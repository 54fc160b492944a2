import TestSupport
import Testing

@testable import Retrieval

/// What the compressed rows and the rotation before them keep of a vector.
@Suite struct CompressedRows {
    static let dimensions = [1, 2, 3, 100, 384, 768, 1000]

    func dot(_ left: [Float], _ right: [Float]) -> Double {
        zip(left, right).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    }

    func unit(_ dimensions: Int, _ random: inout SeededGenerator) -> [Float] {
        UnitVector.normalised(random.vector(dimensions)) ?? []
    }

    @Test(arguments: dimensions) func `a rotation keeps lengths and inner products`(dimensions: Int) {
        var random = SeededGenerator(UInt64(dimensions))
        for seed in [0, 1, 384, .max] as [UInt64] {
            let rotation = Rotation(dimensions: dimensions, seed: seed)
            let vectors = (0..<4).map { _ in unit(dimensions, &random) }
            let rotated = vectors.map { vector in
                var copy = vector
                copy.withUnsafeMutableBufferPointer { rotation.apply(to: $0) }
                return copy
            }
            for left in vectors.indices {
                for right in vectors.indices {
                    #expect(abs(dot(rotated[left], rotated[right]) - dot(vectors[left], vectors[right])) < 1e-4)
                }
            }
        }
    }

    @Test(arguments: [100, 384, 1000]) func `a rotation spreads one component over all`(dimensions: Int) {
        for place in [0, dimensions / 2, dimensions - 1] {
            var vector = [Float](repeating: 0, count: dimensions)
            vector[place] = 1
            vector.withUnsafeMutableBufferPointer { Rotation(dimensions: dimensions, seed: 7).apply(to: $0) }
            #expect((vector.map(abs).max() ?? 1) < 10 / Float(dimensions).squareRoot())
        }
    }

    @Test(arguments: dimensions) func `bytes give components back within half a step`(dimensions: Int) {
        var random = SeededGenerator(UInt64(dimensions))
        for turn in 0..<5 {
            let row = turn == 0 ? [Float](repeating: -1, count: dimensions) : unit(dimensions, &random)
            var codes = [UInt8](repeating: 0, count: ByteCodes.stride(forDimensions: dimensions))
            let factor = row.withUnsafeBufferPointer { row in
                codes.withUnsafeMutableBufferPointer { ByteCodes.encode(row, into: $0) }
            }
            for (index, value) in row.enumerated() {
                #expect(abs(value - (Float(codes[index]) - 128) * factor) <= factor * 0.5001)
            }
            // What is over counts nothing.
            #expect(codes[dimensions...].allSatisfy { $0 == 128 })
            let query = ByteCodes.query(row)
            #expect(query.codes.count == codes.count)
            #expect(query.codes[dimensions...].allSatisfy { $0 == 0 })
            #expect(zip(query.codes, codes).allSatisfy { Int($0) == Int($1) - 128 })
        }
    }

    @Test func `a row of zeros or of what is no number is encoded as something`() {
        for value in [0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] as [Float] {
            for row in [[Float](repeating: value, count: 70), [value] + [Float](repeating: 0.5, count: 69)] {
                var codes = [UInt8](repeating: 0, count: ByteCodes.stride(forDimensions: 70))
                _ = row.withUnsafeBufferPointer { row in
                    codes.withUnsafeMutableBufferPointer { ByteCodes.encode(row, into: $0) }
                }
                #expect(codes.allSatisfy { $0 > 0 })
            }
        }
    }

    @Test(arguments: [3, 64, 100, 384]) func `bits estimate an inner product better the longer the vectors are`(
        dimensions: Int
    ) {
        var random = SeededGenerator(UInt64(dimensions))
        let rotation = Rotation(dimensions: dimensions, seed: 1)
        let columns = BitCodes.columns(forDimensions: dimensions)
        let centre = random.vector(dimensions).map { $0 / 20 }
        var (squares, count) = (0.0, 0.0)
        for number in 0..<40 {
            let (row, vector) = (unit(dimensions, &random), unit(dimensions, &random))
            let query = BitCodes.query(vector, rotation: rotation)
            var codes = [UInt8](repeating: 0, count: BitCodes.bytes(forRows: 40, dimensions: dimensions))
            var used = row
            let factor = used.withUnsafeMutableBufferPointer { used in
                codes.withUnsafeMutableBufferPointer {
                    BitCodes.encode(used, centre: centre, rotation: rotation, into: $0, at: number)
                }
            }
            let sum = (0..<columns).reduce(0) { sum, column in
                let byte = Int(codes[(number / 32 * columns + column) * 32 + number % 32])
                return sum + Int(query.tables[column * 32 + byte & 15])
                    + Int(query.tables[column * 32 + 16 + byte >> 4])
            }
            var copied = [UInt8](repeating: 0, count: codes.count)
            codes.withUnsafeBufferPointer { codes in
                copied.withUnsafeMutableBufferPointer {
                    BitCodes.copy(codes, at: number, dimensions: dimensions, into: $0, at: number)
                }
            }
            #expect(copied == codes)
            let estimate = (query.step * Float(sum) + query.low) * factor
            // The centre takes the same from every row, and is left out.
            let error = Double(estimate) + dot(centre, vector) - dot(row, vector)
            squares += error * error
            count += 1
        }
        #expect((squares / count).squareRoot() < 1.5 / Double(dimensions).squareRoot())
    }
}
