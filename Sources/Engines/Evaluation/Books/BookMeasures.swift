#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A part of a book that a search found.
package struct FoundPart: Sendable, Hashable {
    package var book: String
    /// In bytes of the book's text.
    package var range: Range<Int>
    /// The physical pages that it touches.
    package var pages: ClosedRange<Int>

    package init(book: String, range: Range<Int>, pages: ClosedRange<Int>) {
        self.book = book
        self.range = range
        self.pages = pages
    }
}

/// The measures of the results of one question, 0 to 1.
package struct BookMeasures: Sendable, Hashable {
    /// Whether the first result is evidence.
    package var hitAt1 = 0.0
    /// The share of the evidence in the first five: units, or bytes of spans.
    package var recallAt5 = 0.0
    /// Normalised discounted cumulative gain over ten, with binary gains.
    package var ndcgAt10 = 0.0
    /// For spans: evidence bytes among the bytes of the first five, overlaps counted each time.
    package var precisionAt5 = 0.0
    /// For spans: the same over the union of evidence and results.
    package var iouAt5 = 0.0

    package init() {}

    /// Measures the results of a question, best first.
    package init(_ results: [FoundPart], of question: BookQuestions.Question, in set: BookQuestions) {
        switch set.unit {
        case .span: self.init(spans: results, question)
        case .section:
            let sections = set.sections
            self.init(
                units: results.flatMap { Self.sections(of: $0, sections[$0.book] ?? []) },
                wanted: Set(
                    question.evidence.flatMap { evidence in
                        evidence.range.map { range in
                            Self.sections(
                                of: FoundPart(book: question.book, range: range, pages: 1...1),
                                sections[question.book] ?? [])
                        } ?? []
                    }))
        case .page:
            self.init(
                units: results.flatMap { part in part.pages.map { Unit(book: part.book, number: $0) } },
                wanted: Set(question.evidence.compactMap { $0.page.map { Unit(book: question.book, number: $0) } }))
        }
    }

    /// The mean over questions.
    package init(meanOf all: [BookMeasures]) {
        let count = Double(max(1, all.count))
        hitAt1 = all.reduce(0) { $0 + $1.hitAt1 } / count
        recallAt5 = all.reduce(0) { $0 + $1.recallAt5 } / count
        ndcgAt10 = all.reduce(0) { $0 + $1.ndcgAt10 } / count
        precisionAt5 = all.reduce(0) { $0 + $1.precisionAt5 } / count
        iouAt5 = all.reduce(0) { $0 + $1.iouAt5 } / count
    }

    private struct Unit: Hashable {
        var book: String
        var number: Int
    }

    /// The sections that a part stands for: those that it holds half of, or that hold half of it; the larger share first.
    private static func sections(of part: FoundPart, _ sections: [Range<Int>]) -> [Unit] {
        sections.enumerated().compactMap { number, section -> (unit: Unit, shared: Int)? in
            let shared = section.clamped(to: part.range).count
            guard shared > 0, 2 * shared >= min(section.count, part.range.count) else { return nil }
            return (Unit(book: part.book, number: number), shared)
        }.sorted { $0.shared > $1.shared }.map(\.unit)
    }

    /// A result that stands for several units takes several ranks.
    private init(units: [Unit], wanted: Set<Unit>) {
        guard !wanted.isEmpty else { return }
        var seen: Set<Unit> = []
        let ranking = units.filter { seen.insert($0).inserted }
        hitAt1 = ranking.first.map(wanted.contains) == true ? 1 : 0
        recallAt5 = Double(ranking.prefix(5).count(where: wanted.contains)) / Double(wanted.count)
        ndcgAt10 = Self.ndcg(ranking.prefix(10).map { wanted.contains($0) ? 1 : 0 }, ideal: wanted.count)
    }

    private init(spans results: [FoundPart], _ question: BookQuestions.Question) {
        let wanted = Self.union(question.evidence.compactMap(\.range))
        let bytes = wanted.reduce(0) { $0 + $1.count }
        guard bytes > 0 else { return }
        func shared(_ range: Range<Int>) -> Int { wanted.reduce(0) { $0 + $1.clamped(to: range).count } }
        let own = results.map { $0.book == question.book ? $0.range : nil }
        hitAt1 = own.first.flatMap { $0 }.map(shared) ?? 0 > 0 ? 1 : 0
        let five = results.prefix(5)
        let found = Self.union(own.prefix(5).compactMap { $0 })
        let inFound = found.reduce(0) { $0 + shared($1) }
        recallAt5 = Double(inFound) / Double(bytes)
        let length = five.reduce(0) { $0 + $1.range.count }
        let evidence = own.prefix(5).reduce(0) { $0 + ($1.map(shared) ?? 0) }
        precisionAt5 = length > 0 ? Double(evidence) / Double(length) : 0
        // The union counts evidence that no result holds, too.
        let missed = bytes - inFound
        iouAt5 = length + missed > 0 ? Double(inFound) / Double(length + missed) : 0
        // A result gains when it holds evidence that none before it holds.
        var seen: [Range<Int>] = []
        let gains = own.prefix(10).map { range -> Int in
            guard let range else { return 0 }
            let before = Self.union(seen).reduce(0) { $0 + shared($1) }
            seen.append(range)
            return Self.union(seen).reduce(0) { $0 + shared($1) } > before ? 1 : 0
        }
        ndcgAt10 = Self.ndcg(gains, ideal: wanted.count)
    }

    private static func ndcg(_ gains: [Int], ideal: Int) -> Double {
        func sum(_ gains: [Int]) -> Double {
            gains.enumerated().reduce(0) { $0 + Double($1.element) / log2(Double($1.offset + 2)) }
        }
        let best = sum([Int](repeating: 1, count: min(10, ideal)))
        return best > 0 ? min(1, sum(gains) / best) : 0
    }

    private static func union(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}
