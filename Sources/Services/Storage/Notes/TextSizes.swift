/// The words and the characters of a text, as the columns of notes count them.
struct TextSizes: Equatable {
    /// Runs of characters that are not white space.
    var words: Int
    /// Characters as a person sees them; a line end of two bytes is one.
    var characters: Int

    init(_ text: String) {
        // Finding the borders of characters takes a seventh of an ingest; in ASCII only a line end of two bytes matters.
        if let sizes = unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe TextSizes(ascii: $0) }) ?? nil {
            self = sizes
        } else {
            words = text.split(whereSeparator: \.isWhitespace).count
            characters = text.count
        }
    }

    /// Counts bytes; nil when one is not of ASCII.
    private init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        var (words, ends, seen, before): (Int, Int, UInt8, UInt8) = (0, 0, 0, 32)
        for place in bytes.indices {
            let byte = unsafe bytes[place]
            seen |= byte
            if byte == 10, before == 13 { ends += 1 }
            if !Self.isSpace(byte), Self.isSpace(before) { words += 1 }
            before = byte
        }
        guard seen < 128 else { return nil }
        self.words = words
        characters = bytes.count - ends
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
