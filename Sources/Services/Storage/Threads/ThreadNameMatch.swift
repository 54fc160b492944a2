import Foundation
import Text

/// Scores how well thread names match a name that a user remembers.
///
/// Prepare it once for a remembered name, then score every thread. The time of a comparison depends on the names'
/// lengths only, and most end before letters are compared.
package struct ThreadNameMatch {
    /// The minimum score of a match.
    package static let threshold = 0.3
    /// The maximum number of scalars compared per name.
    package static let maxScalars = 512
    /// The maximum number of letters in a spelling comparison.
    private static let maxLetters = 64
    /// The maximum number of words compared, of a name and of the remembered name.
    private static let (maxWords, maxWantedWords) = (64, 16)
    /// The score of identical spelling, and the minimum likeness that counts.
    private static let (spellingScore, leastLikeness) = (0.6, 0.5)

    private let wanted: FoldedName
    private let borders: [Int]
    private let words: [ArraySlice<UInt32>]
    private let edits: EditDistance
    private let trigrams: Set<UInt64>

    /// Prepares the comparison with a remembered name.
    package init(_ name: String) {
        wanted = FoldedName(name)
        borders = wanted.borders
        words = Array(wanted.words(upTo: Self.maxWantedWords))
        edits = EditDistance(from: wanted.scalars.prefix(Self.maxLetters))
        trigrams = Set(wanted.trigrams)
    }

    /// Returns 1 for the same name, and less for a prefix, a substring, its words, or a similar spelling. Other names
    /// score below ``threshold``: about half of the letters must match. Ignores case.
    ///
    /// - Parameter best: Scores at or below `best` may be returned as any other value at or below it.
    package func score(_ name: String, beating best: Double = 0) -> Double {
        guard best < 1 else { return 0 }
        let name = FoldedName(name)
        guard !wanted.scalars.isEmpty, !name.scalars.isEmpty else { return 0 }
        if wanted.scalars == name.scalars { return 1 }
        switch best < 0.9 ? name.firstOccurrence(of: wanted, borders) : nil {
        case 0?: return 0.9
        case _?: return 0.8
        case nil: break
        }
        guard best < 0.7 else { return 0 }
        let others = name.words(upTo: Self.maxWords)
        if !words.isEmpty, words.allSatisfy({ word in others.contains { $0.starts(with: word) } }) { return 0.7 }
        let least = max(Self.leastLikeness, best / Self.spellingScore)
        guard least < 1 else { return 0 }
        return Self.spellingScore * max(trigramLikeness(name, least), spellingLikeness(name, others, least))
    }

    /// Returns 1 minus the share of wrong letters, over the whole name or its most similar word; 0 when below `least`.
    private func spellingLikeness(_ name: FoldedName, _ words: [ArraySlice<UInt32>], _ least: Double) -> Double {
        var best = 0.0
        for other in [name.scalars[...]] + words {
            let other = other.prefix(Self.maxLetters)
            let longer = Double(max(edits.count, other.count, 1))
            // The difference in length is a lower bound of the edits.
            guard Double(min(edits.count, other.count)) / longer >= max(least, best) else { continue }
            best = max(best, 1 - Double(edits.distance(to: other)) / longer)
        }
        return best
    }

    /// Returns Dice's coefficient of the two names' trigrams; 0 when below `least`.
    private func trigramLikeness(_ name: FoldedName, _ least: Double) -> Double {
        let theirs = name.trigrams
        guard !trigrams.isEmpty, !theirs.isEmpty else { return 0 }
        // Repeated trigrams count repeatedly here, so this is an upper bound.
        let most = Double(theirs.count { trigrams.contains($0) })
        guard 2 * most / (Double(trigrams.count) + most) >= least else { return 0 }
        let distinct = Set(theirs)
        return 2 * Double(distinct.count { trigrams.contains($0) }) / Double(trigrams.count + distinct.count)
    }
}

/// A name as composed scalars, case-folded and trimmed of white space.
private struct FoldedName {
    let scalars: [UInt32]

    init(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
            let bytes = text.utf8.drop(while: isBlank).prefix(ThreadNameMatch.maxScalars)
            let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
            scalars = bytes[..<end].map { UInt32((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) }
        } else {
            scalars = TextFolding.folded(text.trimmingCharacters(in: .whitespacesAndNewlines))
                .unicodeScalars.prefix(ThreadNameMatch.maxScalars).map(\.value)
        }
    }

    /// The trigrams of the name with blanks around it, each as one number.
    var trigrams: [UInt64] {
        var (before, last): (UInt64, UInt64) = (0x20, 0x20)
        var found: [UInt64] = []
        found.reserveCapacity(scalars.count + 1)
        for scalar in scalars + [0x20] {
            // A scalar has at most 21 bits.
            found.append(before << 42 | last << 21 | UInt64(scalar))
            (before, last) = (last, UInt64(scalar))
        }
        return found
    }

    /// Returns the runs of letters and digits.
    func words(upTo limit: Int) -> [ArraySlice<UInt32>] {
        Array(scalars.split(maxSplits: limit) { !Self.isOfWord($0) }.prefix(limit))
    }

    /// The border table of Knuth, Morris and Pratt: for each position, the length of the longest border ending there.
    var borders: [Int] {
        var borders = [Int](repeating: 0, count: scalars.count)
        var length = 0
        for index in scalars.indices.dropFirst() {
            while length > 0, scalars[index] != scalars[length] { length = borders[length - 1] }
            if scalars[index] == scalars[length] { length += 1 }
            borders[index] = length
        }
        return borders
    }

    /// Returns the first position of another, non-empty name in this name; nil when absent. Takes time linear in this
    /// name's length.
    func firstOccurrence(of other: FoldedName, _ borders: [Int]) -> Int? {
        guard other.scalars.count <= scalars.count else { return nil }
        var length = 0
        for (index, scalar) in scalars.enumerated() {
            while length > 0, scalar != other.scalars[length] { length = borders[length - 1] }
            if scalar == other.scalars[length] { length += 1 }
            if length == other.scalars.count { return index + 1 - length }
        }
        return nil
    }

    private static func isOfWord(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A: return true
        case 0..<0x80: return false
        default:
            guard let properties = Unicode.Scalar(scalar)?.properties else { return false }
            if properties.isAlphabetic || properties.numericType != nil { return true }
            return switch properties.generalCategory {
            case .nonspacingMark, .spacingMark, .enclosingMark: true
            default: false
            }
        }
    }
}
