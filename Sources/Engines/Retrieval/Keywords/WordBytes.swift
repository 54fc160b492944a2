/// Which bytes of folded text are word bytes.
///
/// A *run* is a longest sequence of such bytes. Every occurrence of a pattern of word bytes lies within one run, so the
/// vocabulary of runs can answer for the text. All bytes beyond ASCII are word bytes, whatever characters they are part
/// of, because the borders of runs must be visible from single bytes.
enum WordBytes {
    /// Whether a byte is a word byte: a–z, 0–9 and all beyond ASCII. Folded text has no upper case ASCII.
    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool { byte >= 0x80 || byte &- 0x61 < 26 || byte &- 0x30 < 10 }

    /// The runs of a pattern, in order.
    static func runs(in pattern: [UInt8]) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for (index, byte) in pattern.enumerated() {
            if contains(byte) {
                if start == nil { start = index }
            } else if let begun = start {
                runs.append(begun..<index)
                start = nil
            }
        }
        if let begun = start { runs.append(begun..<pattern.count) }
        return runs
    }
}
