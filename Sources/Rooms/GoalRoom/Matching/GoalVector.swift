/// Vectors as little-endian float32, without a header.
enum GoalVector {
    static func encode(_ vector: [Float]) -> [UInt8] {
        vector.flatMap { value in
            let pattern = value.bitPattern
            return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: pattern >> $0) }
        }
    }

    /// Nil for bytes of another length.
    static func decode(_ bytes: [UInt8], dimensions: Int) -> [Float]? {
        guard bytes.count.isMultiple(of: 4), bytes.count / 4 == dimensions else { return nil }
        return (0..<dimensions).map { index in
            let pattern = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[index * 4 + $1]) << (8 * UInt32($1)) }
            return Float(bitPattern: pattern)
        }
    }
}
