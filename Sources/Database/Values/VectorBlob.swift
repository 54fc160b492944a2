/// Encodes vectors in the database as little-endian float32, without a header.
package enum VectorBlob {
    package static func bytes(_ vector: some Collection<Float>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: vector.count * 4) { bytes, count in
            for (index, value) in vector.enumerated() {
                unsafe UnsafeMutableRawBufferPointer(bytes).storeBytes(
                    of: value.bitPattern.littleEndian, toByteOffset: index * 4, as: UInt32.self)
            }
            count = vector.count * 4
        }
    }

    /// Decodes a vector; nil when there are more or fewer bytes.
    package static func decode(_ bytes: [UInt8], dimensions: Int) -> [Float]? {
        unsafe bytes.withUnsafeBytes { unsafe decode($0, dimensions: dimensions) }
    }

    /// Decodes a vector; nil when there are more or fewer bytes.
    package static func decode(_ bytes: UnsafeRawBufferPointer, dimensions: Int) -> [Float]? {
        guard bytes.count == dimensions * 4 else { return nil }
        return unsafe [Float](unsafeUninitializedCapacity: dimensions) { values, count in
            for index in 0..<dimensions {
                let pattern = unsafe UInt32(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
                unsafe values.initializeElement(at: index, to: Float(bitPattern: pattern))
            }
            count = dimensions
        }
    }
}
