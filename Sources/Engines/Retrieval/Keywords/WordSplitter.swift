/// Cuts runs of word bytes into the words that BM25 counts.
///
/// A run of ASCII is one word. In other runs, letters, marks and digits make up words and all other characters separate
/// them: quotation marks, dashes, no-break spaces, emoji. Scripts without spaces (Han, kana) and Hangul give
/// overlapping pairs of characters, as in Lucene's CJK analyzer. A single such character is a word itself.
enum WordSplitter {
    /// Returns the words of a run as ranges of its bytes, in order; pairs overlap.
    ///
    /// Time grows with the length. Bytes that are not UTF-8 separate words.
    static func words(in run: some RandomAccessCollection<UInt8>) -> [Range<Int>] {
        let bytes = Array(run)
        guard bytes.contains(where: { $0 >= 0x80 }) else { return bytes.isEmpty ? [] : [0..<bytes.count] }
        var words: [Range<Int>] = []
        var wordStart: Int?
        var ideographs: [Int] = []
        var position = 0

        func endWord() {
            if let start = wordStart { words.append(start..<position) }
            wordStart = nil
        }
        func endIdeographs() {
            if ideographs.count == 1 { words.append(ideographs[0]..<position) }
            for index in ideographs.indices.dropLast() {
                let end = index + 2 < ideographs.count ? ideographs[index + 2] : position
                words.append(ideographs[index]..<end)
            }
            ideographs.removeAll(keepingCapacity: true)
        }
        while position < bytes.count {
            let (scalar, length) = decode(bytes, at: position)
            switch scalar.map(kind) ?? .other {
            case .letter:
                endIdeographs()
                if wordStart == nil { wordStart = position }
            case .ideograph:
                endWord()
                ideographs.append(position)
            case .other:
                endWord()
                endIdeographs()
            }
            position += length
        }
        endWord()
        endIdeographs()
        return words
    }

    /// Whether a character belongs to a script whose words are pairs of characters.
    static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D,
            0x3005...0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD, 0xAC00...0xD7A3,
            0x1100...0x11FF:
            true
        default: false
        }
    }

    private enum Kind { case letter, ideograph, other }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        if scalar.value < 0x80 { return .letter }
        if isIdeograph(scalar) { return .ideograph }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            .letter
        default: .other
        }
    }

    /// The character that begins at an offset and its length in bytes; nil and 1 when none does.
    private static func decode(_ bytes: [UInt8], at start: Int) -> (scalar: Unicode.Scalar?, length: Int) {
        let first = bytes[start]
        let length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0
        guard length > 0, start + length <= bytes.count else { return (nil, 1) }
        var value = length == 1 ? UInt32(first) : UInt32(first) & (0x7F >> UInt32(length))
        for byte in bytes[(start + 1)..<(start + length)] {
            guard byte & 0xC0 == 0x80 else { return (nil, 1) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        guard let scalar = Unicode.Scalar(value) else { return (nil, 1) }
        return (scalar, length)
    }
}
