/// Computes the edit distance of two words: insertions, deletions, replacements and swaps of neighbouring letters.
///
/// A column of the distance table is kept as the bits of one word, so a letter costs a few instructions. Swapped
/// neighbours are not edited again. Source: H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau
/// edit distances", 2003.
package struct EditDistance: Sendable {
    /// The number of letters in the first word, at most 64.
    package let count: Int
    /// For each letter a bit mask of its positions in the first word: ASCII here, others in `rarePlaces`.
    private var places = [UInt64](repeating: 0, count: 128)
    private var rarePlaces: [UInt32: UInt64] = [:]

    /// Prepares comparisons with a word; uses its first 64 letters.
    package init(from word: some Sequence<UInt32>) {
        var count = 0
        for letter in word.prefix(64) {
            let bit = UInt64(1) << UInt64(count)
            if letter < 128 { places[Int(letter)] |= bit } else { rarePlaces[letter, default: 0] |= bit }
            count += 1
        }
        self.count = count
    }

    /// Returns the edit distance to another word.
    package func distance(to other: some Collection<UInt32>) -> Int {
        guard count > 0 else { return other.count }
        let lastBit = UInt64(1) << UInt64(count - 1)
        var distance = count
        // Bits where a distance is one more, or one less, than the distance above it.
        var (more, less) = (UInt64.max, UInt64(0))
        var (diagonal, before) = (UInt64(0), UInt64(0))
        for letter in other {
            let here = letter < 128 ? places[Int(letter)] : rarePlaces[letter] ?? 0
            let swapped = ((~diagonal & here) << 1) & before
            diagonal = (((here & more) &+ more) ^ more) | here | less | swapped
            let (right, left) = (less | ~(diagonal | more), diagonal & more)
            if right & lastBit != 0 { distance += 1 }
            if left & lastBit != 0 { distance -= 1 }
            let (shiftedRight, shiftedLeft) = (right << 1 | 1, left << 1)
            more = shiftedLeft | ~(diagonal | shiftedRight)
            less = shiftedRight & diagonal
            before = here
        }
        return distance
    }
}
