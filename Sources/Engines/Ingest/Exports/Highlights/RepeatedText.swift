/// Texts that were marked or written more than once at one place, each time longer or shorter.
enum RepeatedText {
    /// The longer of two texts of which one has the other as a part; nil for two different texts.
    ///
    /// White space counts as one space.
    static func longer(_ first: String, _ second: String) -> String? {
        let (one, two) = (words(first), words(second))
        if one.count >= two.count { return isPart(two, of: one) ? first : nil }
        return isPart(one, of: two) ? second : nil
    }

    private static func words(_ text: String) -> [UInt8] {
        Array(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").utf8)
    }

    /// By Knuth, Morris and Pratt: in time linear in both, whatever the texts are.
    private static func isPart(_ part: [UInt8], of text: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        if text.starts(with: part) { return true }
        guard text.contains(first) else { return false }
        var borders = [0]
        borders.reserveCapacity(part.count)
        var length = 0
        for byte in part.dropFirst() {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            borders.append(length)
        }
        length = 0
        for byte in text {
            while length > 0, part[length] != byte { length = borders[length - 1] }
            if part[length] == byte { length += 1 }
            if length == part.count { return true }
        }
        return false
    }
}
