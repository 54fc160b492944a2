/// A text as an array of characters (Unicode scalars) with their places in bytes.
struct ScalarText {
    let scalars: [Unicode.Scalar]
    /// For each character, and for the end, its offset in UTF-8 bytes.
    let offsets: [Int]

    /// - Parameter maxBytes: What lies behind it is left out.
    init(_ text: String, maxBytes: Int) {
        var scalars: [Unicode.Scalar] = []
        var offsets = [0]
        var offset = 0
        for scalar in text.unicodeScalars {
            let width = UTF8.width(scalar)
            guard offset + width <= maxBytes else { break }
            offset += width
            scalars.append(scalar)
            offsets.append(offset)
        }
        self.scalars = scalars
        self.offsets = offsets
    }

    /// The character at an index; nil outside.
    subscript(index: Int) -> Unicode.Scalar? { scalars.indices.contains(index) ? scalars[index] : nil }

    /// The UTF-8 bytes of a range of characters.
    func bytes(_ range: Range<Int>) -> Range<Int> {
        let range = range.clamped(to: 0..<scalars.count)
        return offsets[range.lowerBound]..<offsets[range.upperBound]
    }

    /// The characters of a range as a string.
    func string(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range.clamped(to: 0..<scalars.count)])
        return String(text)
    }

    /// A range without the white space at its ends; nil when nothing remains.
    func trimmed(_ range: Range<Int>) -> Range<Int>? {
        let part = scalars[range.clamped(to: 0..<scalars.count)]
        guard let first = part.firstIndex(where: { !$0.isBlank }),
            let last = part.lastIndex(where: { !$0.isBlank })
        else { return nil }
        return first..<(last + 1)
    }
}
