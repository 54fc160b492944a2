import Foundation

/// How well a thread's name fits what somebody remembers of it.
enum ThreadNameMatch {
    /// The least score that counts as a match.
    static let threshold = 0.3

    /// 1 for the very name, less for its beginning, a part of it, its words, and names that are spelt alike; below
    /// ``threshold`` for others: about half of the letters have to be right. Case does not matter.
    static func score(_ sought: String, _ name: String) -> Double {
        let (sought, name) = (folded(sought), folded(name))
        guard !sought.isEmpty, !name.isEmpty else { return 0 }
        if sought == name { return 1 }
        if name.hasPrefix(sought) { return 0.9 }
        if name.contains(sought) { return 0.8 }
        let (wanted, words) = (self.words(sought), self.words(name))
        if !wanted.isEmpty, wanted.allSatisfy({ word in words.contains { $0.hasPrefix(word) } }) { return 0.7 }
        return 0.6 * max(trigramLikeness(sought, name), spellingLikeness(sought, name, words))
    }

    /// 1 less the share of letters that are wrong, over the whole name or its most alike word.
    private static func spellingLikeness(_ sought: String, _ name: String, _ words: [Substring]) -> Double {
        ([name[...]] + words).map { other in
            let (left, right) = (Array(sought.prefix(maxLetters)), Array(other.prefix(maxLetters)))
            return 1 - Double(distance(left, right)) / Double(max(left.count, right.count, 1))
        }.max() ?? 0
    }

    /// Letters that are compared at most.
    private static let maxLetters = 64

    /// Letters to insert, delete, replace or swap with their neighbour, until one is the other.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var (before, last) = ([Int](), Array(0...right.count))
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                var least = min(
                    current[column] + 1, last[column + 1] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, last) = (last, current)
        }
        return last[right.count]
    }

    /// Dice's coefficient of the two words' trigrams, with blanks around them.
    private static func trigramLikeness(_ left: String, _ right: String) -> Double {
        let (left, right) = (trigrams(left), trigrams(right))
        guard !left.isEmpty, !right.isEmpty else { return 0 }
        return 2 * Double(left.intersection(right).count) / Double(left.count + right.count)
    }

    private static func trigrams(_ text: String) -> Set<String> {
        let characters = Array("  \(text) ")
        return Set((0..<max(0, characters.count - 2)).map { String(characters[$0..<$0 + 3]) })
    }

    private static func words(_ text: String) -> [Substring] {
        text.split { !$0.isLetter && !$0.isNumber }
    }

    private static func folded(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased().precomposedStringWithCanonicalMapping
    }
}
