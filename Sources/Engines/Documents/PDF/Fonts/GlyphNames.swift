/// What the names of glyphs mean.
enum GlyphNames {
    private static let scalars: [Substring: UInt32] = {
        let words = table.split(whereSeparator: \.isWhitespace)
        var scalars: [Substring: UInt32] = [:]
        scalars.reserveCapacity(words.count / 2)
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            scalars[words[index]] = UInt32(words[index + 1], radix: 16)
        }
        return scalars
    }()

    /// The scalars of a name by the rules of the Adobe Glyph List: a name of the list, `uni0041`, `u1F600`, parts
    /// joined by `_`, and a suffix behind a point, which does not count. Nil for a name without a known meaning.
    static func text(_ name: String) -> [UInt32]? {
        let base = name.prefix { $0 != "." }
        guard !base.isEmpty else { return nil }
        if let scalar = scalars[base] { return [scalar] }
        var text: [UInt32] = []
        for part in base.split(separator: "_") {
            guard let scalars = scalars[part].map({ [$0] }) ?? hexadecimal(part) else { return nil }
            text += scalars
            if text.count > 16 { return nil }
        }
        return text.isEmpty ? nil : text
    }

    /// `uni` and groups of four digits, or `u` and four to six.
    private static func hexadecimal(_ name: Substring) -> [UInt32]? {
        let digits = name.utf8
        guard digits.first == UInt8(ascii: "u"), digits.count >= 5, digits.count <= 40 else { return nil }
        if name.hasPrefix("uni"), digits.count % 4 == 3, digits.count >= 7 {
            var text: [UInt32] = []
            var rest = name.dropFirst(3)
            while !rest.isEmpty {
                guard let value = UInt32(rest.prefix(4), radix: 16), Unicode.Scalar(value) != nil else { return nil }
                text.append(value)
                rest = rest.dropFirst(4)
            }
            return text
        }
        guard digits.count <= 7, let value = UInt32(name.dropFirst(), radix: 16), Unicode.Scalar(value) != nil else {
            return nil
        }
        return [value]
    }

    /// The character code in names without a meaning, such as `G41`, `c65`, `cid:66` or `char67`.
    ///
    /// - Parameter isHexadecimal: Two digits are hexadecimal.
    static func code(_ name: String, isHexadecimal: Bool) -> Int? {
        let digits = name.drop { !$0.isHexDigit || ($0.isLetter && !isHexadecimal) || name.first == $0 }
        guard !digits.isEmpty, digits.count <= 3, digits.count < name.count else { return nil }
        return Int(digits, radix: isHexadecimal ? 16 : 10)
    }
}
