import TestSupport
import Testing

@testable import Retrieval
@testable import Text

/// Scores and sets of the keyword leg against brute force.
@Suite struct KeywordScores {
    static let words = [
        "wave", "waves", "waving", "tide", "tides", "gauge", "run", "running", "runner", "station", "stations", "the",
        "of",
        "café", "日本語", "日本", "50%", "c++", "“tide”", "wave—tide", "x", "no",
    ]

    struct Library {
        var model = ReferenceKeywordIndex()
        var catalog = Catalog()
        var index = KeywordIndex()

        /// Documents put in by several updates, some of them changed and removed.
        init(seed: Int, documents: Int) throws {
            var random = SeededGenerator(UInt64(seed))
            for ordinal in 0..<documents { _ = catalog.add(Int64(ordinal)) }
            for _ in 0..<3 * documents {
                let ordinal = Int.random(in: 0..<documents, using: &random)
                if Int.random(in: 0..<6, using: &random) == 0 {
                    catalog.remove(at: ordinal)
                    model.documents[ordinal] = nil
                    try index.apply(set: [], removed: [ordinal])
                    continue
                }
                func text(_ most: Int) -> [UInt8] {
                    let count = Int.random(in: 0...most, using: &random)
                    return TextFolding.fold(
                        (0..<count).map { _ in words.randomElement(using: &random) ?? "x" }.joined(separator: " "))
                }
                let document = ReferenceKeywordIndex.Document(title: text(3), text: text(25))
                catalog.set(
                    RetrievalDocument(id: Int64(ordinal), title: "", text: "", createdAt: Int64(ordinal % 5)),
                    at: ordinal)
                model.documents[ordinal] = document
                try index.apply(set: [(ordinal, document.title, document.text)])
            }
        }

        func search(_ query: String, _ scorer: KeywordScorer, needsPattern: Bool = false) -> [LegHit] {
            KeywordSearch(
                wanted: 1000, terms: QueryTerms(text: query, phrases: []), scorer: scorer, needsPattern: needsPattern,
                index: index, passed: nil, catalog: catalog
            ).run().hits
        }
    }

    @Test(.slow, arguments: 0..<8)
    func `bm25 gives the scores of the formula`(seed: Int) throws {
        let library = try Library(seed: seed, documents: 60)
        let scoring = KeywordScoring()
        for (query, stems) in [
            ("waves", ["wave": 1]), ("running tides", ["run": 1, "tide": 1]),
            ("wave stations wave tide", ["wave": 2, "station": 1, "tide": 1]), ("café", ["café": 1]),
            ("absent", ["absent": 1]),
        ] {
            let expected = library.model.bm25(
                stems, k1: Double(scoring.stems.saturation), b: Double(scoring.stems.lengthInfluence),
                titleOccurrences: Double(scoring.stems.titleOccurrences))
            let hits = library.search(query, .bm25)
            #expect(Set(hits.map(\.ordinal)) == Set(expected.keys), "\(query)")
            for hit in hits {
                let score = expected[hit.ordinal] ?? 0
                #expect(abs(hit.score - score) < 1e-5 * max(1, score), "\(query)")
            }
        }
    }

    @Test(arguments: 0..<8)
    func `merged and unmerged segments give equal scores`(seed: Int) throws {
        let library = try Library(seed: seed, documents: 60)
        var once = library
        once.index = KeywordIndex()
        try once.index.apply(
            set: library.model.documents.map { ($0.key, $0.value.title, $0.value.text) }.shuffled())
        #expect(once.index.parts.count == 1)
        #expect(once.index.liveWords == library.index.liveWords)
        for scorer in KeywordScorer.allCases {
            for query in ["waves running", "the café 50%", "日本語 station", "no c++ x gauge"] {
                #expect(library.search(query, scorer) == once.search(query, scorer))
            }
        }
    }

    @Test(.slow, arguments: 0..<8, KeywordScorer.allCases)
    func `with keywords alone every scorer finds what holds a word of the query`(seed: Int, scorer: KeywordScorer)
        throws
    {
        let library = try Library(seed: seed, documents: 60)
        for query in ["running", "waves gauges", "stat", "日", "本", "50%", "c+", "ave"] {
            let expected = query.split(separator: " ").flatMap {
                library.model.matches(of: TextFolding.fold(String($0)))
            }
            let found = library.search(query, scorer, needsPattern: true)
            #expect(Set(found.map(\.ordinal)) == Set(expected.map(\.ordinal)), "\(query)")
            #expect(found.count == Set(found.map(\.ordinal)).count)
        }
    }

    @Test func `with both legs stems find what the words as written do not`() throws {
        var library = try Library(seed: 0, documents: 0)
        for (ordinal, text) in ["wave", "bread", "waving"].enumerated() {
            library.catalog.set(RetrievalDocument(id: 0, title: "", text: ""), at: library.catalog.add(Int64(ordinal)))
            try library.index.apply(set: [(ordinal, [], Array(text.utf8))])
        }
        #expect(Set(library.search("waves", .both).map(\.ordinal)) == [0, 2])
        #expect(library.search("waves", .like).isEmpty)
        #expect(library.search("waves", .both, needsPattern: true).isEmpty)
        #expect(library.search("wav", .bm25, needsPattern: true).map(\.ordinal) == [0, 2])
    }

    @Test func `words that stems would misrepresent are patterns in every scorer`() {
        func terms(_ text: String) -> [Bool] { QueryTerms(text: text, phrases: []).terms.map(\.isPattern) }
        #expect(terms("waves C++ c# 50% 日本 日本語 ab x-1 Привет") == [false] + Array(repeating: true, count: 8))
        #expect(terms("sensor_id naïve x86 wave-tide") == Array(repeating: false, count: 4))
        let phrase = QueryTerms(text: "", phrases: ["running waves"]).terms
        #expect(phrase.map(\.isPattern) == [true] && phrase.allSatisfy(\.stems.isEmpty))
        let stems = QueryTerms(text: "sensor_ids 日本語", phrases: []).terms.map {
            $0.stems.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(stems == [["sensor", "id"], ["日本", "本語"]])
        #expect(QueryTerms(text: "wave tide Wave", phrases: []).terms.map(\.repeats) == [2, 1])
    }

    @Test func `the result says how each term was sought`() throws {
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 1, title: "Tide", text: "high water, 50%")]
        try index.apply(update)
        let result = try index.searchNow(
            HybridQuery(text: "tide %", keywords: ["gh wat"], mode: .keyword, scorer: .both))
        #expect(result.terms == ["gh wat", "tide", "%"])
        #expect(result.plans.count == 3 && result.plans[1] == .vocabulary && result.plans[2] == .scan)
    }
}
