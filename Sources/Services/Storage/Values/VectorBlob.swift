import Foundation

/// Vectors in the database: float32, little endian, nothing else.
enum VectorBlob {
    static func encode(_ vector: some Collection<Float>) -> Data {
        var data = Data(count: vector.count * 4)
        // In place: appending to `Data` number by number cost three tenths of a backfill's processor time.
        unsafe data.withUnsafeMutableBytes { bytes in
            for (index, value) in vector.enumerated() {
                unsafe bytes.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: index * 4, as: UInt32.self)
            }
        }
        return data
    }

    /// The vector; nil when the blob is not one of that length.
    static func decode(_ data: Data, dimensions: Int) -> [Float]? {
        guard data.count == dimensions * 4 else { return nil }
        return unsafe data.withUnsafeBytes { bytes in
            unsafe [Float](unsafeUninitializedCapacity: dimensions) { values, count in
                for index in 0..<dimensions {
                    let pattern = unsafe UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
                    unsafe values.initializeElement(at: index, to: Float(bitPattern: pattern))
                }
                count = dimensions
            }
        }
    }
}
