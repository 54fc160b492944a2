/// What a character is, with a short way for ASCII: the tables of Unicode cost many times as much.
extension Unicode.Scalar {
    var isBlank: Bool { isASCII ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace }

    var isLetter: Bool { isASCII ? (0x61...0x7A).contains(value | 0x20) : properties.isAlphabetic }

    var isNumeric: Bool { isASCII ? (0x30...0x39).contains(value) : properties.numericType != nil }

    var isCapital: Bool { isASCII ? (0x41...0x5A).contains(value) : properties.isUppercase }

    var isSmall: Bool { isASCII ? (0x61...0x7A).contains(value) : properties.isLowercase }
}
