import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retrieval
@testable import Text

/// The pruned search against scoring every document: equal documents, equal scores, equal order.
@Suite struct PrunedSearches {
    /// Random documents in several segments, some of them changed and removed.
    struct Library {
        var oracle = ExhaustiveScoring()
        var catalog = Catalog()
        var index = KeywordIndex()
        /// Words with frequencies proportional to one over the rank.
        let words: [String]

        init(documents: Int, changes: Int, words count: Int, batch: Int, _ random: inout SeededGenerator) throws {
            words = (0..<count).map { _ in Self.word(&random) }
            for ordinal in 0..<documents { _ = catalog.add(Int64(1000 - ordinal % 7) * 10_000 + Int64(ordinal)) }
            for start in stride(from: 0, to: documents, by: batch) {
                let ordinals = Array(start..<min(documents, start + batch))
                try set(ordinals, &random)
            }
            for _ in 0..<changes where documents > 0 {
                let ordinal = Int.random(in: 0..<documents, using: &random)
                if Bool.random(using: &random) {
                    catalog.remove(at: ordinal)
                    oracle.documents[ordinal] = nil
                    try index.apply(set: [], removed: [ordinal])
                } else {
                    try set([ordinal], &random)
                }
            }
        }

        static func word(_ random: inout SeededGenerator) -> String {
            let parts = ["a", "ing", "er", "st", "ra", "b", "tide", "o", "n", "s", "é", "x1", "日本", "gauge", "ed"]
            return (0..<Int.random(in: 1...3, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? "a"
            }.joined()
        }

        func text(_ most: Int, _ random: inout SeededGenerator) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in
                // Small numbers are more frequent.
                let place = Double(words.count) * pow(Double.random(in: 0..<1, using: &random), 3)
                return words[Int(place)]
            }.joined(separator: [" ", " ", " ", "-", "% "].randomElement(using: &random) ?? " ")
        }

        mutating func set(_ ordinals: [Int], _ random: inout SeededGenerator) throws {
            var fresh: [KeywordDocument] = []
            for ordinal in ordinals {
                var (title, body) = (TextFolding.fold(text(3, &random)), TextFolding.fold(text(14, &random)))
                // Equal documents have equal scores.
                if Int.random(in: 0..<4, using: &random) == 0, let other = fresh.randomElement(using: &random) {
                    (title, body) = (other.title, other.text)
                }
                fresh.append((ordinal, title, body))
                catalog.set(
                    RetrievalDocument(
                        id: catalog.ids[ordinal], title: "", text: "",
                        createdAt: Int64.random(in: 0..<3, using: &random)), at: ordinal)
                oracle.documents[ordinal] = .init(title: title, text: body)
            }
            try index.apply(set: fresh)
        }

        /// Words, parts of words, phrases and words of no document.
        func query(_ random: inout SeededGenerator) -> QueryTerms {
            var phrases: [String] = []
            if Int.random(in: 0..<3, using: &random) == 0 { phrases.append(text(2, &random)) }
            var terms = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                words.randomElement(using: &random) ?? "a"
            }
            if Bool.random(using: &random) { terms.append(String(Self.word(&random).prefix(3))) }
            if Int.random(in: 0..<5, using: &random) == 0 { terms.append("absentee") }
            return QueryTerms(text: terms.joined(separator: " "), phrases: phrases)
        }

        /// The leg as it runs on several threads, which a small index would not have.
        static func onThreads(_ search: KeywordSearch) -> Retrieval.KeywordLeg {
            let leg = Mutex<Retrieval.KeywordLeg?>(nil)
            let done = DispatchSemaphore(value: 0)
            KeywordLegRun.start(search, on: pool, leastDocuments: 0) { result in
                leg.withLock { $0 = result }
                done.signal()
            }
            done.wait()
            return leg.withLock { $0 } ?? Retrieval.KeywordLeg()
        }

        private static let pool = ScanPool(threads: 3)

        /// Compares one query; returns how many documents were found.
        @discardableResult
        func check(_ random: inout SeededGenerator) -> Int {
            let terms = query(&random)
            let scorer = KeywordScorer.allCases.randomElement(using: &random) ?? .both
            let needsPattern = Bool.random(using: &random)
            var passed: Bitmap?
            if Bool.random(using: &random) {
                let share: Double = [0, 0.01, 0.3, 0.9].randomElement(using: &random) ?? 0
                var bits = Bitmap(capacity: catalog.count)
                catalog.isAlive.forEach { bits[$0] = Double.random(in: 0..<1, using: &random) < share }
                passed = bits
            }
            let all = oracle.all(
                for: terms, scorer: scorer, needsPattern: needsPattern, passed: passed, catalog: catalog)
            let wanted = [1, 2, 10, 200, 1000].randomElement(using: &random) ?? 10
            let expected = all.prefix(wanted).map { LegHit(ordinal: $0.ordinal, score: Double($0.score)) }
            for countsAll in [false, true] {
                let search = KeywordSearch(
                    wanted: wanted, terms: terms, scorer: scorer, needsPattern: needsPattern, countsAll: countsAll,
                    index: index, passed: passed, catalog: catalog)
                for leg in [search.run(), Self.onThreads(search)] {
                    #expect(
                        leg.hits == expected,
                        "\(terms.terms.map(\.text)), \(scorer), \(needsPattern), \(wanted), counts \(countsAll)")
                    #expect(leg.matched == (countsAll ? all.count : nil))
                }
            }
            return all.count
        }
    }

    @Test(.slow, arguments: 0..<60)
    func `small collections with changes have the best documents of all`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let documents = [0, 1, 2, 63, 64, 65, 300].randomElement(using: &random) ?? 0
        let library = try Library(
            documents: documents, changes: Int.random(in: 0...40, using: &random),
            words: [3, 20, 200].randomElement(using: &random) ?? 20,
            batch: [7, 1000].randomElement(using: &random) ?? 7, &random)
        for _ in 0..<12 { library.check(&random) }
    }

    @Test(.slow, arguments: 0..<6)
    func `long postings and several windows have the best documents of all`(seed: Int) throws {
        var random = SeededGenerator(UInt64(100 + seed))
        let documents =
            [FrequentRows.leastRows - 1, FrequentRows.leastRows, 9000, 2 * PrunedSearch.windowRows + 1]
            .randomElement(using: &random) ?? 9000
        let library = try Library(
            documents: documents, changes: [0, 30].randomElement(using: &random) ?? 0,
            words: [8, 60, 2000].randomElement(using: &random) ?? 60,
            batch: [documents, 3000].randomElement(using: &random) ?? documents, &random)
        #expect((0..<10).reduce(0) { sum, _ in sum + library.check(&random) } > 0)
    }

    @Test(.slow) func `documents with equal scores come by time, then by id, even at the cut`() throws {
        var random = SeededGenerator(5)
        var library = try Library(documents: 0, changes: 0, words: 3, batch: 1, &random)
        for ordinal in 0..<10_000 {
            library.catalog.set(
                RetrievalDocument(id: 0, title: "", text: "", createdAt: Int64(ordinal % 3)),
                at: library.catalog.add(Int64((ordinal * 7919) % 10_000)))
            library.oracle.documents[ordinal] = .init(title: [], text: Array("tide gauge".utf8))
        }
        try library.index.apply(set: library.oracle.documents.map { ($0.key, $0.value.title, $0.value.text) })
        for wanted in [1, 9, 3333, 10_000] {
            let terms = QueryTerms(text: "tide gauges", phrases: [])
            let hits = KeywordSearch(
                wanted: wanted, terms: terms, scorer: .both, needsPattern: false, index: library.index, passed: nil,
                catalog: library.catalog
            ).run().hits
            let expected = library.oracle.all(
                for: terms, scorer: .both, needsPattern: false, passed: nil, catalog: library.catalog)
            #expect(hits.map(\.ordinal) == expected.prefix(wanted).map(\.ordinal))
        }
    }

    /// The number of queries of the long run; `SELENE_KEYWORD_QUERIES=10000` starts it.
    private static let queries =
        ProcessInfo.processInfo.environment["SELENE_KEYWORD_QUERIES"].flatMap(Int.init) ?? 0

    @Test(.enabled(if: queries > 0, "SELENE_KEYWORD_QUERIES is not set"))
    func `very many random queries have the best documents of all`() throws {
        var random = SeededGenerator(2026)
        var (asked, found) = (0, 0)
        while asked < Self.queries {
            let isLarge = Int.random(in: 0..<10, using: &random) == 0
            let documents =
                isLarge ? Int.random(in: 4000..<9000, using: &random) : Int.random(in: 0..<400, using: &random)
            let library = try Library(
                documents: documents, changes: Int.random(in: 0...60, using: &random),
                words: [3, 20, 200, 3000].randomElement(using: &random) ?? 20,
                batch: [11, 500, 10_000].randomElement(using: &random) ?? 500, &random)
            for _ in 0..<40 { found += library.check(&random) }
            asked += 40
        }
        #expect(found > 0)
    }
}

@Suite struct KeywordAccelerators {
    @Test(arguments: 0..<10)
    func `the trigrams of a vocabulary leave out no string that holds a pattern`(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        var builder = StringTableBuilder()
        let strings = Set(
            (0..<3000).map { _ in
                (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    UInt8.random(
                        in: [0x61...0x64, 0xC3...0xC5].randomElement(using: &random) ?? 0x61...0x64, using: &random)
                }
            }
        ).sorted { $0.lexicographicallyPrecedes($1) }
        for string in strings { builder.append(string) }
        builder.bytes.withUnsafeBufferPointer { bytes in
            builder.offsets.withUnsafeBufferPointer { offsets in
                guard let bytes = bytes.baseAddress, let offsets = offsets.baseAddress else { return }
                let table = StringTable(
                    bytes: bytes, offsets: offsets, count: strings.count, byteCount: builder.bytes.count)
                let trigrams = TrigramTable(of: table)
                for _ in 0..<300 {
                    let whole = strings.randomElement(using: &random) ?? []
                    let pattern = Array(whole.dropFirst(Int.random(in: 0...2, using: &random)).prefix(5))
                    guard let candidates = trigrams.candidates(for: pattern) else {
                        #expect(pattern.count < 3)
                        continue
                    }
                    for anchored in [pattern, pattern + [0]] {
                        var (expected, found): ([[Int]], [[Int]]) = ([], [])
                        table.forEachOccurrence(of: anchored) { expected.append([$0, $1]) }
                        table.forEachOccurrence(of: anchored, in: candidates) { found.append([$0, $1]) }
                        #expect(found == expected)
                    }
                }
            }
        }
    }

    @Test func `a code of a length never stands for a greater one, and for hardly a smaller one`() {
        for length in Array(0...70_000) + [1 << 20, 1 << 40, .max] {
            let least = RowLengths.least(of: Int(RowLengths.code(of: length)))
            #expect(least <= Float(length))
            if (2..<65_536).contains(length) { #expect(least > Float(length) * 0.93) }
        }
    }

    @Test func `frequent rows have the marks of the postings`() throws {
        var random = SeededGenerator(3)
        let documents: [KeywordDocument] = (0..<5000).map { ordinal in
            let title = Int.random(in: 0..<5, using: &random) == 0 ? "tide" : ""
            return (
                ordinal, Array(title.utf8),
                Array(Int.random(in: 0..<3, using: &random) == 0 ? "sea".utf8 : "tide sea sea".utf8)
            )
        }
        let segment = try SegmentBuilder.segment(of: documents)
        var entries = 0
        for entry in 0..<segment.vocabulary.count {
            guard let rows = segment.frequent.rows(of: entry, in: segment) else { continue }
            entries += 1
            var marks = [UInt8](repeating: 0, count: segment.rows)
            segment.forEachPosting(of: entry) { row, mark in marks[row] = mark }
            #expect((0..<segment.rows).map { rows.pointers.mark(at: $0) } == marks)
            #expect(rows.count == marks.filter { $0 != 0 }.count)
            #expect(rows.greatest == marks.reduce(0) { TermRows.greatest($0, $1) })
        }
        #expect(entries == 2)
    }
}
