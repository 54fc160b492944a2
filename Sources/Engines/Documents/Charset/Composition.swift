internal import CCharset

/// Composes characters (NFC) by ICU, in linear time: Foundation's composition of a long text is quadratic.
enum Composition {
    /// The composed form of valid UTF-8. Text below U+0300 is composed already.
    static func composed(_ utf8: [UInt8]) -> [UInt8] {
        guard utf8.contains(where: { $0 >= 0xCC }), utf8.count <= Int(Int32.max) / 3 else { return utf8 }
        let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
        // One character becomes three at most (Unicode Standard Annex 15, expansion factors).
        var result = [UInt16](repeating: 0, count: units.count + units.count / 8 + 16)
        for _ in 0..<2 {
            let count = unsafe units.withUnsafeBufferPointer { units in
                unsafe result.withUnsafeMutableBufferPointer { result in
                    unsafe charset_compose(
                        units.baseAddress, Int32(units.count), result.baseAddress, Int32(result.count))
                }
            }
            guard count >= 0 else { return utf8 }
            if Int(count) <= result.count {
                return Array(String(decoding: result.prefix(Int(count)), as: UTF16.self).utf8)
            }
            result = [UInt16](repeating: 0, count: Int(count))
        }
        return utf8
    }
}
