/// Percent encoding for parts of URLs.
enum PercentText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes all bytes but unreserved characters (RFC 3986, section 2.3).
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
