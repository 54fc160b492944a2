#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Compressed copies of a chunk's rows for a first pass: as bytes, as bits, or both.
struct RowCodes: Sendable {
    var bytes: ByteCodes? = nil
    var bits: BitCodes? = nil
}

/// Rows as bytes, symmetric for each row: component = (byte − 128) · factor, factor = greatest magnitude / 127.
struct ByteCodes: Sendable {
    /// `rows × stride` bytes; the padding after the components is 128.
    let codes: Region
    /// A float for each row.
    let factors: Region

    /// Bytes of a row.
    static func stride(forDimensions dimensions: Int) -> Int {
        (dimensions + Kernels.byteStride - 1) / Kernels.byteStride * Kernels.byteStride
    }

    /// Encodes one row. A NaN, which a damaged file may hold, becomes 0.
    static func encode(_ row: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableBufferPointer<UInt8>) -> Float {
        let greatest = unsafe row.reduce(Float(0)) { max($0, abs($1)) }
        let scale = greatest > 0 ? 127 / greatest : 0
        for index in row.indices {
            let level = unsafe (row[index] * scale).rounded()
            unsafe bytes[index] = level.magnitude <= 127 ? UInt8(Int32(level) + 128) : 128
        }
        for index in row.count..<bytes.count { unsafe bytes[index] = 128 }
        return greatest / 127
    }

    /// Encodes a query as signed bytes, with the value of one step.
    static func query(_ vector: [Float]) -> (codes: [Int8], scale: Float) {
        let greatest = vector.reduce(Float(0)) { max($0, abs($1)) }
        let scale = greatest > 0 ? 127 / greatest : 0
        var codes = [Int8](repeating: 0, count: stride(forDimensions: vector.count))
        for index in vector.indices { codes[index] = Int8((vector[index] * scale).rounded()) }
        return (codes, greatest / 127)
    }
}

/// Rows as the signs of their components after centring and a random rotation (Gao and Long, "RaBitQ", SIGMOD 2024).
/// With y = row − centre, rotated, and o = sign(y) / √d, the inner product ⟨y, q⟩ is estimated as ⟨o, q⟩ · |y|² / ⟨o,
/// y⟩. The query has four bits a component.
struct BitCodes: Sendable {
    /// `rows × words` 64-bit words.
    let codes: Region
    /// y|² / Σ|y| for each row.
    let factors: Region
    /// For each row, its factor times its number of set bits.
    let extras: Region
    /// The mean row.
    let centre: [Float]
    /// The seed of the rotation.
    let seed: UInt64

    /// Words of a row.
    static func words(forDimensions dimensions: Int) -> Int { (dimensions + 127) / 128 * 2 }

    /// Encodes one row and overwrites it.
    static func encode(
        _ row: inout [Float], centre: [Float], rotation: Rotation, into words: UnsafeMutableBufferPointer<UInt64>
    ) -> (factor: Float, extra: Float) {
        for index in row.indices { row[index] -= centre[index] }
        rotation.apply(to: &row)
        for index in words.indices { unsafe words[index] = 0 }
        var (square, magnitude, set): (Float, Float, Float) = (0, 0, 0)
        for (index, value) in row.enumerated() {
            square += value * value
            magnitude += abs(value)
            if value > 0 {
                unsafe words[index >> 6] |= 1 << UInt64(index & 63)
                set += 1
            }
        }
        let factor = magnitude > 0 ? square / magnitude : 0
        return (factor, factor * set)
    }

    /// A query as bit planes: component = low + step · Σ 2^p · plane p.
    struct Query {
        var planes: [UInt64]
        var low: Float
        var step: Float
        var sum: Float
    }

    /// Encodes a query for rows of this rotation. The centre is omitted, because it shifts every row's score equally.
    static func query(_ vector: [Float], rotation: Rotation) -> Query {
        var rotated = vector
        rotation.apply(to: &rotated)
        let (low, high) = (rotated.min() ?? 0, rotated.max() ?? 0)
        let levels = Float(1 << Kernels.planes - 1)
        let step = high > low ? (high - low) / levels : 1
        let words = words(forDimensions: vector.count)
        var planes = [UInt64](repeating: 0, count: words * Kernels.planes)
        for (index, value) in rotated.enumerated() {
            let level = Int(((value - low) / step).rounded())
            for plane in 0..<Kernels.planes where level >> plane & 1 == 1 {
                planes[plane * words + index >> 6] |= 1 << UInt64(index & 63)
            }
        }
        return Query(planes: planes, low: low, step: step, sum: rotated.reduce(0, +))
    }
}

/// A random rotation in n log n (Ailon and Chazelle, "The Fast Johnson–Lindenstrauss Transform", 2009). It does three
/// rounds of random sign flips and a Walsh–Hadamard transform on blocks of a power of two. Two overlapping blocks cover
/// a length that is not a power of two.
struct Rotation: Sendable {
    private let signs: [[Float]]
    private let block: Int
    private let dimensions: Int

    init(dimensions: Int, seed: UInt64) {
        self.dimensions = dimensions
        var block = 1
        while block * 2 <= dimensions { block *= 2 }
        self.block = block
        var state = seed
        signs = (0..<6).map { _ in
            (0..<dimensions).map { _ in
                // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return (mixed ^ (mixed >> 31)) & 1 == 0 ? 1 : -1
            }
        }
    }

    /// Rotates a vector of the rotation's length.
    func apply(to vector: inout [Float]) {
        precondition(vector.count == dimensions)
        unsafe vector.withUnsafeMutableBufferPointer { values in
            for round in 0..<signs.count {
                for index in 0..<dimensions { unsafe values[index] *= signs[round][index] }
                let start = round % 2 == 0 ? 0 : dimensions - block
                unsafe Self.transform(UnsafeMutableBufferPointer(rebasing: values[start..<start + block]))
            }
        }
    }

    private static func transform(_ values: UnsafeMutableBufferPointer<Float>) {
        var half = 1
        while half < values.count {
            for start in stride(from: 0, to: values.count, by: half * 2) {
                for index in start..<start + half {
                    let (left, right) = unsafe (values[index], values[index + half])
                    unsafe values[index] = left + right
                    unsafe values[index + half] = left - right
                }
            }
            half *= 2
        }
        let scale = 1 / Float(values.count).squareRoot()
        for index in values.indices { unsafe values[index] *= scale }
    }
}
