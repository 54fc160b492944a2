/// Page labels from the numbers in running heads.
enum PrintedNumbers {
    /// The least pages on which the distance of printed and physical number is the same.
    static let minPages = 5

    /// Returns a label for each page of the stretches where the distance is steady; nil when there is none.
    ///
    /// - Parameters:
    ///   - numbers: By page, those in its running heads.
    ///   - isRoman: By page: it has Roman numerals only.
    static func labels(_ numbers: [[Int]], isRoman: [Bool]) -> [String?]? {
        var labels = [String?](repeating: nil, count: numbers.count)
        var pages: [Int: [Int]] = [:]
        for (page, found) in numbers.enumerated() {
            for number in Set(found) { pages[number - page, default: []].append(page) }
        }
        // The most frequent distance wins where stretches overlap.
        for (offset, list) in pages.sorted(by: { ($0.value.count, $1.key) > ($1.value.count, $0.key) }) {
            for stretch in stretches(list) where stretch.count >= minPages {
                guard let first = stretch.first, let last = stretch.last else { continue }
                for page in first...last where labels[page] == nil && page + offset > 0 {
                    let text = String(page + offset)
                    labels[page] = isRoman[first] && isRoman[last] ? Roman.text(page + offset).lowercased() : text
                }
            }
        }
        return labels.contains { $0 != nil } ? labels : nil
    }

    /// Pages with at most nine others between two of them.
    private static func stretches(_ pages: [Int]) -> [[Int]] {
        var stretches: [[Int]] = []
        for page in pages {
            if let last = stretches.last?.last, page - last <= 10 {
                stretches[stretches.count - 1].append(page)
            } else {
                stretches.append([page])
            }
        }
        return stretches
    }
}
