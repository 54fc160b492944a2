/// Finds the lines that repeat at the top or bottom of pages: titles, chapter names, page numbers.
enum RunningHeads {
    /// The lines at each edge of a page that may be running heads.
    private static let linesAtEdge = 3
    /// A line repeats when it is on so many pages, each at most ``reach`` pages after the one before.
    private static let minPages = 3
    private static let reach = 3
    private static let maxBytes = 160

    struct Found {
        /// By page: the indices of its running heads among its lines.
        var lines: [[Int]]
        /// By page: the numbers printed in them, with their line's place.
        var numbers: [[Int]]
    }

    private struct Key: Hashable {
        var text: String
        var isTop: Bool
        /// In steps of four points.
        var place: Int
    }

    private struct Occurrence {
        var page: Int
        var line: Int
    }

    static func find(_ pages: [PageText]) -> Found {
        var found = Found(
            lines: [[Int]](repeating: [], count: pages.count), numbers: [[Int]](repeating: [], count: pages.count))
        var occurrences: [Key: [Occurrence]] = [:]
        for (number, page) in pages.enumerated() {
            for (line, isTop) in edges(page) {
                let text = page.text(page.lines[line])
                let place = isTop ? page.lines[line].box.y : Float(page.height) - page.lines[line].box.y
                guard place.isFinite, abs(place) < 1e6 else { continue }
                let key = Key(text: signature(text), isTop: isTop, place: Int(place / 4))
                occurrences[key, default: []].append(Occurrence(page: number, line: line))
            }
        }
        var marked = [Set<Int>](repeating: [], count: pages.count)
        for (key, list) in occurrences {
            // A place near a border of two steps is in both.
            let neighbour = Key(text: key.text, isTop: key.isTop, place: key.place + 1)
            let all = (list + (occurrences[neighbour] ?? [])).sorted { $0.page < $1.page }
            for run in runs(all) where run.count >= minPages {
                if key.text.allSatisfy({ $0 == "#" || !$0.isLetter }), !isCounting(run, pages) { continue }
                for item in run { marked[item.page].insert(item.line) }
            }
        }
        for (number, page) in pages.enumerated() {
            found.lines[number] = marked[number].sorted()
            found.numbers[number] = found.lines[number].flatMap { numbers(page.text(page.lines[$0])) }
        }
        return found
    }

    /// The first and last lines by height.
    private static func edges(_ page: PageText) -> [(line: Int, isTop: Bool)] {
        guard !page.lines.isEmpty else { return [] }
        var top: [Int] = []
        var bottom: [Int] = []
        // A few lines at each edge, found without sorting the page.
        for line in page.lines.indices where page.lines[line].range.count <= maxBytes {
            insert(line, into: &top) { page.lines[$0].box.y < page.lines[$1].box.y }
            insert(line, into: &bottom) { page.lines[$0].box.y > page.lines[$1].box.y }
        }
        let middle = Float(page.height) / 2
        return top.filter { page.lines[$0].box.y < middle }.map { ($0, true) }
            + bottom.filter { page.lines[$0].box.y >= middle }.map { ($0, false) }
    }

    private static func insert(_ line: Int, into lines: inout [Int], before: (Int, Int) -> Bool) {
        let place = lines.firstIndex { before(line, $0) } ?? lines.count
        guard place < linesAtEdge else { return }
        lines.insert(line, at: place)
        if lines.count > linesAtEdge { lines.removeLast() }
    }

    /// The text in lower case, with numbers as `#`.
    private static func signature(_ text: String) -> String {
        var signature = ""
        for word in text.lowercased().split(separator: " ") {
            let isRoman = word.allSatisfy { "ivxlcdm".contains($0) }
            for character in word {
                if isRoman || character.isNumber {
                    if signature.last != "#" { signature.append("#") }
                } else {
                    signature.append(character)
                }
            }
            signature.append(" ")
        }
        return signature
    }

    /// Stretches of pages without a large gap.
    private static func runs(_ list: [Occurrence]) -> [[Occurrence]] {
        var runs: [[Occurrence]] = []
        for item in list {
            if let last = runs.last?.last, item.page - last.page <= reach {
                runs[runs.count - 1].append(item)
            } else {
                runs.append([item])
            }
        }
        return runs
    }

    /// Most numbers grow with the pages: they are no numbers of a table.
    private static func isCounting(_ run: [Occurrence], _ pages: [PageText]) -> Bool {
        var offsets: [Int: Int] = [:]
        for item in run {
            let text = pages[item.page].text(pages[item.page].lines[item.line])
            for number in numbers(text) { offsets[number - item.page, default: 0] += 1 }
        }
        return (offsets.values.max() ?? 0) * 2 > run.count
    }

    /// The numbers in a line, also Roman ones that stand at its ends.
    static func numbers(_ text: String) -> [Int] {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        return words.enumerated().compactMap { index, word in
            if let number = Int(word), word.utf8.count <= 5 { return number }
            return index == 0 || index == words.count - 1 ? Roman.number(word) : nil
        }
    }
}
