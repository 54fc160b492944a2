/// Finds the known name most similar to a misspelled one.
package enum NearestName {
    /// The maximum number of bytes of a name to compare.
    package static let comparedBytes = 64

    /// The known name with the fewest edits; the first of several. Nil when more than about a third of the letters
    /// differ. Case, prefixes such as `functions.` and the kind of separator are ignored.
    package static func of(_ name: String, among known: [String]) -> String? {
        let wanted = folded(name)
        let edits = EditDistance(from: wanted)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let letters = folded(candidate)
            let limit = max(1, (max(letters.count, wanted.count) + 1) / 3)
            let distance = edits.distance(to: letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// The question whether the most similar known name was meant; nil when none is similar.
    package static func question(_ name: String, among known: [String]) -> String? {
        of(name, among: known).map { "did you mean \"\($0)\"?" }
    }

    /// The last part of a name with dots, colons or slashes, in lower case and without separators.
    private static func folded(_ name: String) -> [UInt32] {
        let bytes = name.utf8.prefix(comparedBytes)
        let last = bytes.split { [UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "/")].contains($0) }.last
        return (last ?? bytes).compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte | 0x20)
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: " "): nil
            default: UInt32(byte)
            }
        }
    }
}
