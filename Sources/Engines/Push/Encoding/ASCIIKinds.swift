extension UInt8 {
    /// Whether the byte is `0` to `9`.
    var isDigit: Bool { (0x30...0x39).contains(self) }
    /// Whether the byte is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// Whether the byte is an ASCII letter, `0` to `9`, `-` or `_`.
    var isWordCharacter: Bool { isLetter || isDigit || self == 0x2D || self == 0x5F }
}
