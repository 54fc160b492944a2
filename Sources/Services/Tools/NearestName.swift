/// Finds the known name most similar to a misspelled one.
enum NearestName {
    /// The maximum number of bytes of a name to compare.
    static let comparedBytes = 64

    /// The known name with the fewest edits; the first of several. Nil when more than about a third of the letters
    /// differ. Case, prefixes such as `functions.` and the kind of separator are ignored.
    static func of(_ name: String, among known: [String]) -> String? {
        let wanted = folded(name)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let letters = folded(candidate)
            let limit = max(1, (max(letters.count, wanted.count) + 1) / 3)
            let distance = distance(wanted, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The last part of a name with dots, colons or slashes, in lower case and without separators.
    private static func folded(_ name: String) -> [UInt8] {
        let bytes = name.utf8.prefix(comparedBytes)
        let last = bytes.split { [UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/")].contains($0) }.last
        return (last ?? bytes).compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " "): nil
            default: byte
            }
        }
    }

    /// The Levenshtein distance, row by row.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
