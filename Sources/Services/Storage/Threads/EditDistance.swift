/// Counts the letters to insert, delete, replace or swap with their neighbour until one word is another.
///
/// The column of the table of distances is kept as the bits of one word, so a letter costs a few instructions (H. Hyyrö,
/// "A bit-vector algorithm for computing Levenshtein and Damerau edit distances", 2003). Swapped neighbours are not edited
/// again.
struct EditDistance {
    /// Letters of the first word.
    let count: Int
    /// Where the first word has a letter, a bit for each place: ASCII, and the rest.
    private var places = [UInt64](repeating: 0, count: 128)
    private var rarePlaces: [UInt32: UInt64] = [:]

    /// Prepares comparisons with a word, of which at most 64 letters count.
    init(from word: some Sequence<UInt32>) {
        var count = 0
        for letter in word.prefix(64) {
            let bit = UInt64(1) << UInt64(count)
            if letter < 128 { places[Int(letter)] |= bit } else { rarePlaces[letter, default: 0] |= bit }
            count += 1
        }
        self.count = count
    }

    /// The distance to another word.
    func distance(to other: some Collection<UInt32>) -> Int {
        guard count > 0 else { return other.count }
        let lastBit = UInt64(1) << UInt64(count - 1)
        var distance = count
        // Bits where a distance is one more, or one less, than the one above it.
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
