/// The numbers of notes that an answer cites, as `[1]`, `[2, 3]` or `[1-3]`.
struct Citations: Equatable {
    /// Cited numbers that match a note, in the order of their first citation.
    var cited: [Int] = []
    /// Cited numbers that match no note, in the same order.
    var invented: [Int] = []

    /// The maximum count of numbers in one pair of brackets; a longer range is not a citation.
    private static let maxRange = 20

    /// Finds the citations of an answer.
    ///
    /// - Parameter noteCount: The number of notes that the model got.
    init(in answer: String, noteCount: Int) {
        var rest = answer[...]
        while let open = rest.firstIndex(of: "[") {
            rest = rest[rest.index(after: open)...]
            guard let close = rest.firstIndex(where: { $0 == "]" || $0 == "[" }) else { break }
            guard rest[close] == "]" else {
                rest = rest[close...]
                continue
            }
            let inside = rest[..<close]
            rest = rest[rest.index(after: close)...]
            // `[1](https://…)` is a link.
            guard rest.first != "(", let numbers = Self.numbers(inside) else { continue }
            for number in numbers {
                if (1...max(1, noteCount)).contains(number), noteCount > 0 {
                    if !cited.contains(number) { cited.append(number) }
                } else if !invented.contains(number) {
                    invented.append(number)
                }
            }
        }
    }

    /// Parses `1, 2` and `1-3`; nil for anything else.
    private static func numbers(_ text: Substring) -> [Int]? {
        var numbers: [Int] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(whereSeparator: { $0 == "-" || $0 == "–" }).map { whole($0) }
            switch ends.count {
            case 1:
                guard let number = ends[0] else { return nil }
                numbers.append(number)
            case 2:
                guard let first = ends[0], let last = ends[1], first <= last, last - first < maxRange else {
                    return nil
                }
                numbers += first...last
            default: return nil
            }
            guard numbers.count <= maxRange else { return nil }
        }
        return numbers
    }

    private static func whole(_ text: Substring) -> Int? {
        let digits = text.drop { $0 == " " || $0 == "^" }
        let end = digits.lastIndex { $0 != " " }.map { digits.index(after: $0) } ?? digits.startIndex
        let number = digits[..<end]
        guard (1...4).contains(number.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(number)
    }
}
