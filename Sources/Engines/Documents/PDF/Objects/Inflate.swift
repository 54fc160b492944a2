import CZlib

/// Unpacks zlib and raw deflate data.
enum Inflate {
    /// Returns what can be unpacked, at most `limit` bytes, and whether there was more.
    static func decode(_ data: [UInt8], limit: Int) -> (bytes: [UInt8], isCut: Bool) {
        let result = decode(data[...], windowBits: 15, limit: limit)
        if !result.bytes.isEmpty || data.count < 3 { return result }
        // Damaged or missing headers: the deflate data alone.
        let raw = decode(data[2...], windowBits: -15, limit: limit)
        return raw.bytes.isEmpty ? decode(data[...], windowBits: -15, limit: limit) : raw
    }

    private static func decode(_ data: ArraySlice<UInt8>, windowBits: Int32, limit: Int) -> (
        bytes: [UInt8], isCut: Bool
    ) {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK else { return ([], false) }
        defer { unsafe inflateEnd(&stream) }
        var output: [UInt8] = []
        output.reserveCapacity(min(limit, data.count * 4))
        var chunk = [UInt8](repeating: 0, count: 1 << 15)
        var isCut = false
        unsafe data.withUnsafeBufferPointer { input in
            unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.avail_in = UInt32(clamping: input.count)
            var status = Z_OK
            while status == Z_OK {
                let written = unsafe chunk.withUnsafeMutableBufferPointer { room in
                    unsafe stream.next_out = room.baseAddress
                    unsafe stream.avail_out = UInt32(room.count)
                    status = unsafe inflate(&stream, Z_NO_FLUSH)
                    return unsafe room.count - Int(stream.avail_out)
                }
                output.append(contentsOf: chunk[..<written])
                isCut = output.count > limit
                if isCut || written == 0 { break }
            }
        }
        if isCut { output.removeLast(output.count - limit) }
        return (output, isCut)
    }
}
