import CZlib

/// Compresses to the gzip format.
enum Gzip {
    /// Returns the compressed bytes; nil when zlib fails.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe selene_gzip_begin(&stream) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        let bound = Int(unsafe deflateBound(&stream, uLong(count)))
        // zlib takes a mutable pointer, but does not write to its input.
        var input = bytes
        let output = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, filled in
            unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = count
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(clamping: bound)
                let isDone = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
                filled = unsafe isDone ? bound - Int(stream.avail_out) : 0
            }
        }
        return output.isEmpty ? nil : output
    }
}
