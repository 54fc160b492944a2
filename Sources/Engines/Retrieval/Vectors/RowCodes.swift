import CKernels

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
/// y⟩.
///
/// Rows lie in blocks of ``blockRows``, byte by byte, so that one instruction looks up four components of every row of a
/// block in a table of the query (André, Kermarrec and Le Scouarnec, "Cache locality is not enough", VLDB 2015).
struct BitCodes: Sendable {
    static let blockRows = 32

    /// ``columns(forDimensions:)`` × ``blockRows`` bytes for each block; rows after the last one are zeros.
    let codes: Region
    /// |y|² / Σ|y| for each row.
    let factors: Region
    /// The mean row.
    let centre: [Float]
    /// The seed of the rotation.
    let seed: UInt64

    /// Bytes of a row.
    static func columns(forDimensions dimensions: Int) -> Int { (dimensions + 127) / 128 * 16 }

    /// Bytes of the codes of some rows.
    static func bytes(forRows rows: Int, dimensions: Int) -> Int {
        (rows + blockRows - 1) / blockRows * blockRows * columns(forDimensions: dimensions)
    }

    /// Encodes one row and overwrites it.
    ///
    /// - Parameters:
    ///   - codes: Zeros where the row's codes go.
    ///   - place: The row's number.
    /// - Returns: The row's factor.
    static func encode(
        _ row: UnsafeMutableBufferPointer<Float>, centre: [Float], rotation: Rotation,
        into codes: UnsafeMutableBufferPointer<UInt8>, at place: Int
    ) -> Float {
        for index in row.indices { unsafe row[index] -= centre[index] }
        unsafe rotation.apply(to: row)
        let start = place / blockRows * blockRows * columns(forDimensions: row.count) + place % blockRows
        var (square, magnitude): (Float, Float) = (0, 0)
        for index in row.indices {
            let value = unsafe row[index]
            square += value * value
            magnitude += abs(value)
            if value > 0 { unsafe codes[start + index >> 3 * blockRows] |= 1 << UInt8(truncatingIfNeeded: index & 7) }
        }
        return magnitude > 0 ? square / magnitude : 0
    }

    /// Copies the codes of a row.
    static func copy(
        _ codes: UnsafeBufferPointer<UInt8>, at source: Int, dimensions: Int,
        into target: UnsafeMutableBufferPointer<UInt8>, at place: Int
    ) {
        let columns = columns(forDimensions: dimensions)
        let (from, to) = (
            source / blockRows * blockRows * columns + source % blockRows,
            place / blockRows * blockRows * columns + place % blockRows
        )
        for column in 0..<columns { unsafe target[to + column * blockRows] = codes[from + column * blockRows] }
    }

    /// A query as tables: for each four components of a row, the sum of the query's with the signs of the row, in steps
    /// from the least sum.
    struct Query {
        /// 16 entries for each four components.
        var tables: [UInt8]
        /// The value of one step.
        var step: Float
        /// The least sum of all components.
        var low: Float
    }

    /// The greatest entry of a table.
    static let mostSteps: Float = 127

    /// Encodes a query for rows of this rotation. The centre is omitted, because it shifts every row's score equally.
    static func query(_ vector: [Float], rotation: Rotation) -> Query {
        var rotated = vector
        unsafe rotated.withUnsafeMutableBufferPointer { unsafe rotation.apply(to: $0) }
        let groups = columns(forDimensions: vector.count) * 2
        rotated += repeatElement(0, count: groups * 4 - rotated.count)
        let sizes = (0..<groups).map { group in rotated[group * 4..<group * 4 + 4].reduce(0) { $0 + abs($1) } }
        let step = max((sizes.max() ?? 0) * 2 / mostSteps, .leastNormalMagnitude)
        var tables: [UInt8] = []
        tables.reserveCapacity(groups * 16)
        for group in 0..<groups {
            for signs in 0..<16 {
                var sum: Float = 0
                for index in 0..<4 {
                    sum += signs >> index & 1 == 1 ? rotated[group * 4 + index] : -rotated[group * 4 + index]
                }
                tables.append(UInt8(max(0, min(mostSteps, ((sum + sizes[group]) / step).rounded()))))
            }
        }
        return Query(tables: tables, step: step, low: -sizes.reduce(0, +))
    }
}

/// A random rotation in n log n (Ailon and Chazelle, "The Fast Johnson–Lindenstrauss Transform", 2009). It does three
/// rounds of random sign flips and a Walsh–Hadamard transform on blocks of a power of two. Two overlapping blocks cover
/// a length that is not a power of two.
struct Rotation: Sendable {
    private static let rounds = 6

    /// One for each component and round.
    private let signs: [Float]
    private let block: Int
    private let dimensions: Int

    init(dimensions: Int, seed: UInt64) {
        self.dimensions = dimensions
        var block = 1
        while block * 2 <= dimensions { block *= 2 }
        self.block = block
        var state = seed
        signs = (0..<Self.rounds * dimensions).map { _ in
            // SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return (mixed ^ (mixed >> 31)) & 1 == 0 ? 1 : -1
        }
    }

    /// Rotates a vector of the rotation's length.
    func apply(to vector: UnsafeMutableBufferPointer<Float>) {
        precondition(vector.count == dimensions)
        guard let values = vector.baseAddress else { return }
        unsafe signs.withUnsafeBufferPointer { signs in
            guard let signs = signs.baseAddress else { return }
            unsafe selene_rotate(values, dimensions, signs, Self.rounds, block)
        }
    }
}
